# SPDX-License-Identifier: MIT
"""The script of a report's page: it filters, searches and copies, and opens the target of a link.

Without it the page shows everything. The page's policy allows only this script.
"""

from __future__ import annotations

import base64
import hashlib

SCRIPT = r"""
(() => {
  "use strict";
  const all = (what, of = document) => [...of.querySelectorAll(what)];
  const one = (id) => document.getElementById(id);
  const findings = all("details.finding");
  const texts = new Map(findings.map((it) => [it, it.textContent.toLowerCase()]));
  const has = (it, rank) => it.dataset.ranks.split(" ").some((run) => {
    const [first, last = first] = run.split("-");
    return run && Number(first) <= rank && rank <= Number(last);
  });
  const isWanted = (it) => {
    const words = one("search").value.toLowerCase().split(/\s+/).filter(Boolean);
    const rank = one("rank").value, kind = one("kind").value;
    const severities = all("input.severity").filter((box) => box.checked).map((box) => box.value);
    return words.every((word) => texts.get(it).includes(word)) &&
      severities.includes(it.dataset.severity) && (!kind || it.dataset.kind === kind) &&
      (!rank || has(it, Number(rank)));
  };
  const filter = () => {
    let shown = 0;
    for (const it of findings) {
      it.hidden = !isWanted(it);
      shown += !it.hidden;
      const row = one("row-" + it.id);
      if (row) row.hidden = it.hidden;
    }
    for (const section of all(".findings"))
      section.hidden = all("details.finding", section).every((it) => it.hidden);
    one("shown").textContent = shown + " of " + findings.length + " findings shown";
  };
  const reveal = () => {
    const id = decodeURIComponent(location.hash.slice(1));
    const found = id ? one(id)?.closest("details.finding") : null;
    if (!found) return;
    found.hidden = false;
    found.closest("section").hidden = false;
    found.open = true;
    one(id).scrollIntoView();
  };
  const copy = async (text) => {
    try {
      await navigator.clipboard.writeText(text);
    } catch {
      const field = document.createElement("textarea");
      field.value = text;
      document.body.append(field);
      field.select();
      document.execCommand("copy");
      field.remove();
    }
  };

  for (const button of all("button.copy")) {
    button.hidden = false;
    const before = button.textContent;
    button.addEventListener("click", async () => {
      const text = button.dataset.copy;
      await copy(text.startsWith("#") ? location.href.split("#")[0] + text : text);
      button.focus();
      button.textContent = "Copied";
      setTimeout(() => { button.textContent = before; }, 2000);
    });
  }
  if (one("search")) {
    document.querySelector(".controls").hidden = false;
    for (const field of all(".controls input, .controls select"))
      field.addEventListener("input", filter);
    for (const [id, open] of [["open-all", true], ["close-all", false]])
      one(id).addEventListener("click", () => {
        for (const it of findings) it.open = open;
      });
    for (const cell of all(".strip .cell"))
      cell.addEventListener("click", () => {
        one("rank").value = one("rank").value === cell.dataset.rank ? "" : cell.dataset.rank;
        filter();
      });
    filter();
  }
  addEventListener("hashchange", reveal);
  addEventListener("beforeprint", () => { for (const it of all("details")) it.open = true; });
  reveal();
})();
"""

# The policy identifies the script by its hash.
HASH = base64.b64encode(hashlib.sha256(SCRIPT.encode()).digest()).decode()
