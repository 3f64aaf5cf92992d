// SPDX-License-Identifier: MIT
// Problems of a page for users who cannot see it or use no mouse; a list of texts.
(() => {
  const wrong = [];
  const all = (what) => [...document.querySelectorAll(what)];
  const visible = (one) => one.checkVisibility();
  // As a screen reader names it.
  const name = (one) =>
    (one.getAttribute("aria-label") ||
      document.getElementById(one.getAttribute("aria-labelledby") || "")?.textContent ||
      one.textContent
    ).trim();
  const told = (one) => one.outerHTML.slice(0, 80);

  if (!document.documentElement.lang) wrong.push("no language");
  if (!document.title.trim()) wrong.push("no title");
  for (const what of ["main", "h1", "header"])
    if (all(what).length !== 1) wrong.push(`${all(what).length} ${what}`);

  let before = 0;
  for (const one of all("h1,h2,h3,h4,h5,h6")) {
    const level = Number(one.tagName[1]);
    if (level > before + 1) wrong.push(`h${level} after h${before}: ${name(one)}`);
    if (!name(one)) wrong.push(`an empty heading: ${told(one)}`);
    before = level;
  }
  const ids = all("[id]").map((one) => one.id);
  if (new Set(ids).size !== ids.length) wrong.push("an id is there twice");
  for (const one of all("[aria-labelledby]"))
    if (!ids.includes(one.getAttribute("aria-labelledby"))) wrong.push(`no label: ${told(one)}`);
  for (const one of all("a"))
    if (!ids.includes(decodeURIComponent(one.hash.slice(1)))) wrong.push(`leads nowhere: ${told(one)}`);
  for (const one of all("a,summary,[tabindex],svg,[role=region],nav,main section[aria-labelledby]"))
    if (!name(one)) wrong.push(`no name: ${told(one)}`);
  for (const one of all("svg"))
    if (one.getAttribute("role") !== "img") wrong.push("a picture that is none");
  for (const one of all("table")) {
    if (!one.caption) wrong.push("a table without caption");
    if (!one.querySelector("th[scope=col]") || !one.querySelector("th[scope=row]"))
      wrong.push("a table without headings");
  }
  for (const one of all("[tabindex]"))
    if (one.tabIndex > 0) wrong.push(`its own order: ${told(one)}`);
  // An element with a scroll bar can be reached by keyboard.
  for (const one of all("body *"))
    if (one.scrollWidth > one.clientWidth + 1 && one.clientWidth &&
        ["auto", "scroll"].includes(getComputedStyle(one).overflowX) && one.tabIndex < 0)
      wrong.push(`cannot be moved: ${told(one)}`);
  // The page's own script is the only one that its policy lets run.
  const policy = document.querySelector("meta[http-equiv=Content-Security-Policy]")?.content || "";
  if (!/script-src 'sha256-[\w+/=]+';/.test(policy)) wrong.push("no policy for scripts");
  if (all("script").length > 1) wrong.push("more than one script");
  for (const one of all("script[src],iframe,object,embed,link,img,form,foreignObject,style ~ style,base"))
    wrong.push(`should not be there: ${told(one)}`);
  for (const one of all("*"))
    for (const attribute of one.attributes)
      if (/^on|^srcdoc$|^style$/.test(attribute.name) || /javascript:|url\(/i.test(attribute.value))
        if (!["content"].includes(attribute.name)) wrong.push(`should not be there: ${told(one)}`);

  // Contrast of text, WCAG 2: 4.5, of large or bold text 3.
  const parsed = (colour) => {
    const [r, g, b, a = 1] = colour.match(/[\d.]+/g).map(Number);
    return { rgb: [r, g, b], a };
  };
  const luminance = (rgb) => {
    const [r, g, b] = rgb.map((v) => v / 255).map((v) => (v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const behind = (one) => {
    for (let at = one; at; at = at.parentElement) {
      const { rgb, a } = parsed(getComputedStyle(at).backgroundColor);
      if (a === 1) return rgb;
    }
    return [255, 255, 255];
  };
  const seen = new Set();
  const ratio = (front, back) => {
    const [high, low] = [luminance(front), luminance(back)].sort((x, y) => y - x);
    return (high + 0.05) / (low + 0.05);
  };
  for (const one of all("body *")) {
    const own = [...one.childNodes].some((node) => node.nodeType === 3 && node.data.trim());
    if (!own || !visible(one) || ["title", "style"].includes(one.tagName)) continue;
    const style = getComputedStyle(one);
    let front, back;
    if (one instanceof SVGElement) {
      front = parsed(style.fill).rgb;
      const box = one.closest("g")?.querySelector("rect") || one.previousElementSibling;
      const inside = one.classList.contains("in") || (one.closest("g") && box);
      const rect = inside ? box : one.closest("svg").querySelector(".back");
      back = parsed(getComputedStyle(rect).fill).rgb;
    } else {
      front = parsed(style.color).rgb;
      back = behind(one);
    }
    const found = ratio(front, back);
    if (found < 4.5) {
      const what = `contrast ${found.toFixed(2)}: ${one.tagName} ${one.getAttribute("class") || ""}`;
      if (!seen.has(what)) wrong.push(what);
      seen.add(what);
    }
  }
  return wrong;
})();
