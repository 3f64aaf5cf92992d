# SPDX-License-Identifier: MIT
"""How a report's page looks: light and dark, on narrow screens, and on paper."""

from __future__ import annotations

from mpipp.analysis.deadlock_text import wait_diagram_svg as why_svg
from mpipp.render import type_tree_svg
from mpipp.render.memory_map import svg as map_svg
from mpipp.reports.formats.html import rma_timeline_svg

_PAGE = """
:root{color-scheme:light dark;--back:#fff;--soft:#f6f8fa;--text:#1f2328;--dim:#59636e;
--line:#d1d9e0;--link:#0969da;--error:#cf222e;--warning:#9a6700;--library:#6639ba;--on:#fff;
--mark:#fff3b8}
@media (prefers-color-scheme:dark){:root{--back:#0d1117;--soft:#161b22;--text:#e6edf3;
--dim:#9198a1;--line:#3d444d;--link:#58a6ff;--error:#ff7b72;--warning:#d29922;--library:#bc8cff;
--on:#0d1117;--mark:#4b3a05}}
*{box-sizing:border-box}
body{margin:0 auto;max-width:100rem;padding:1rem clamp(.75rem,3vw,2.5rem) 4rem;
background:var(--back);color:var(--text);font:16px/1.5 system-ui,sans-serif;overflow-wrap:anywhere}
h1{font-size:1.5rem;line-height:1.25;margin:.5rem 0 1rem}
h2{font-size:1.2rem;margin:1.75rem 0 .5rem} h3{font-size:1rem;margin:0;display:inline}
h4{font-size:1rem;margin:0 0 .25rem} h5{font-size:.875rem;margin:.75rem 0 .25rem}
p{margin:.25rem 0} ul{margin:.25rem 0;padding-left:1.25rem}
a{color:var(--link)} code,pre,.path{font:13px/1.45 ui-monospace,SFMono-Regular,Menlo,Consolas,
"DejaVu Sans Mono",monospace}
pre{margin:0} .dim{color:var(--dim)} .path{margin:.25rem .5rem}
:focus-visible{outline:3px solid var(--link);outline-offset:2px}
main:focus{outline:none}
.skip{position:absolute;left:-200vw;top:0;background:var(--back);padding:.5rem 1rem;z-index:1}
.skip:focus{left:.5rem}
dl{margin:.5rem 0} dl div{display:flex;gap:.25rem 1rem;flex-wrap:wrap;padding:.125rem 0}
dt{color:var(--dim);flex:0 0 8rem} dd{margin:0;flex:1 1 20rem;min-width:0}
.run dd:first-of-type{font-family:inherit}
.note{border-left:4px solid var(--warning);background:var(--soft);padding:.5rem 1rem;
margin:.75rem 0;border-radius:0 6px 6px 0} .note h2{margin:0;font-size:1rem}
.note.plain{border-left-color:var(--link)}
.done dt{flex:0 1 22rem;min-width:0} .done strong{color:var(--text)} .done ul{margin:0}
nav ol{padding-left:2.5rem;columns:36rem} nav li{margin:.25rem 0}
.badge{display:inline-block;border-radius:1rem;padding:0 .6rem;font-size:.8125rem;font-weight:600;
line-height:1.5rem;background:var(--dim);color:var(--on);white-space:nowrap}
.badge.error{background:var(--error)} .badge.warning{background:var(--warning)}
.badge.library{background:var(--library);white-space:normal}
.finding{border:1px solid var(--line);border-radius:8px;margin:.75rem 0;padding:0 1rem}
.finding>summary{padding:.75rem 0;margin:0 -.25rem} .finding[open]>summary{margin-bottom:.25rem}
.finding.error{border-left:5px solid var(--error)}
.finding.warning{border-left:5px solid var(--warning)}
.finding>summary .dim{margin-left:.5rem}
summary{cursor:pointer} .inside{scroll-margin-top:6rem}
.parties{display:grid;gap:1rem;grid-template-columns:repeat(auto-fit,minmax(min(100%,26rem),1fr))}
.party{background:var(--soft);border:1px solid var(--line);border-radius:6px;padding:.75rem;
min-width:0}
.call{margin-bottom:.5rem;line-height:1.3} .source,.place{font-size:.9375rem;margin:.25rem 0}
.scroll{overflow-x:auto;border:1px solid var(--line);border-radius:6px;background:var(--back)}
.scroll>pre{padding:.5rem 0;width:max-content;min-width:100%}
.buffer .scroll>pre{padding:.5rem}
.source .scroll>pre,.buffer pre{tab-size:4}
.source pre{white-space:pre} .number{color:var(--dim);user-select:none}
mark{display:inline-block;min-width:100%;background:var(--mark);color:inherit}
mark .number{color:inherit;font-weight:600}
.details{font-size:.9375rem}
figure{margin:.25rem 0 .5rem} figcaption{font-size:.8125rem;color:var(--dim)}
.buffer .scroll,.timelines .scroll{border:0;background:none} .buffer svg{display:block}
.block{white-space:pre-wrap;margin:.5rem 0}
.around{margin:1rem 0} table{border-collapse:collapse;font-size:.875rem;min-width:100%}
caption{text-align:left;padding:.5rem .6rem;color:var(--dim)}
th,td{text-align:left;vertical-align:top;padding:.3rem .6rem;border-top:1px solid var(--line);
overflow-wrap:normal} th{white-space:nowrap} td{min-width:8rem}
.number{text-align:right;min-width:0}
.counts th.number{color:var(--text)}
tbody th{font-weight:400;color:var(--dim)} td .dim{display:block}
.here{background:var(--mark)} .here th{color:inherit;font-weight:600;
border-left:4px solid var(--error)} .here .dim{color:inherit}
@media (max-width:40rem){dt{flex-basis:100%}.finding{padding:0 .6rem}.party{padding:.5rem}}
@media print{body{max-width:none;padding:0;font-size:11pt}.skip,nav{display:none}
.finding,.party{break-inside:auto} .source,.row,tr,figure{break-inside:avoid}
.scroll{overflow:visible} details::details-content{content-visibility:visible;display:block}
svg{max-width:100%;height:auto} .scroll>pre{white-space:pre-wrap;width:auto}}
"""

_PICTURES = (type_tree_svg.STYLE, map_svg.style(), why_svg.style(), rma_timeline_svg.STYLE)
STYLE = _PAGE + "".join(f"{style}\n" for style in _PICTURES)
