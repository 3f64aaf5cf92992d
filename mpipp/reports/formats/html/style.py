# SPDX-License-Identifier: MIT
"""The style of a report's page: light and dark, on narrow screens, and on paper."""

from __future__ import annotations

from mpipp.analysis.deadlock_text import wait_diagram_svg as why_svg
from mpipp.render import type_tree_svg
from mpipp.render.memory_map import svg as map_svg
from mpipp.reports.formats.html import rma_timeline_svg
from mpipp.reports.formats.html.finding import FITS, STEP, WIDEST

_PAGE = """
:root{color-scheme:light dark;--back:#fff;--soft:#f6f8fa;--text:#1f2328;--dim:#59636e;
--line:#d1d9e0;--link:#0969da;--error:#cf222e;--warning:#9a6700;--remark:#0550ae;--good:#1a7f37;
--library:#6639ba;--on:#fff;--mark:#fff3b8}
@media (prefers-color-scheme:dark){:root{--back:#0d1117;--soft:#161b22;--text:#e6edf3;
--dim:#9198a1;--line:#3d444d;--link:#58a6ff;--error:#ff7b72;--warning:#d29922;--remark:#79c0ff;
--good:#3fb950;--library:#bc8cff;--on:#0d1117;--mark:#4b3a05}}
*{box-sizing:border-box} [hidden]{display:none!important}
body{margin:0 auto;max-width:96rem;padding:1.25rem clamp(.75rem,3vw,2.5rem) 4rem;
background:var(--back);color:var(--text);font:16px/1.5 system-ui,sans-serif;overflow-wrap:anywhere}
h1{font-size:1.6rem;line-height:1.25;margin:0 0 .75rem;text-wrap:balance}
h2{font-size:1.2rem;margin:1.75rem 0 .5rem} h3{font-size:1rem;margin:0;display:inline}
h4{font-size:1rem;margin:0 0 .25rem} h5{font-size:.875rem;margin:.75rem 0 .25rem}
p{margin:.25rem 0} ul{margin:.25rem 0;padding-left:1.25rem}
a{color:var(--link)} code,pre,.path{font:13px/1.5 ui-monospace,SFMono-Regular,Menlo,Consolas,
"DejaVu Sans Mono",monospace}
pre{margin:0} .dim{color:var(--dim)} .path{margin:.25rem .5rem;font-size:12px}
:focus-visible{outline:3px solid var(--link);outline-offset:2px}
#findings:focus{outline:none}
.skip{position:absolute;left:-200vw;top:0;background:var(--back);padding:.5rem 1rem;z-index:1}
.skip:focus{left:.5rem}
button,input,select{font:inherit;font-size:.875rem;color:var(--text);background:var(--back);
border:1px solid var(--line);border-radius:6px;padding:.2rem .6rem;max-width:100%}
button{background:var(--soft);cursor:pointer} button:hover{border-color:var(--dim)}
button.copy{font-size:.75rem;padding:.05rem .5rem;vertical-align:baseline}
.command code{background:var(--soft);border:1px solid var(--line);border-radius:6px;
padding:.15rem .5rem;display:inline-block}
dl{margin:.5rem 0} dl div{display:flex;gap:.125rem 1rem;flex-wrap:wrap;padding:.125rem 0}
dt{color:var(--dim);flex:0 0 7rem} dd{margin:0;flex:1 1 20rem;min-width:0}
.run{display:flex;flex-wrap:wrap;gap:.25rem 2.5rem;font-size:.9375rem}
.run div{display:block} .run dt{font-size:.8125rem;line-height:1.2}
.overview{display:grid;grid-template-columns:auto minmax(0,1fr);gap:.5rem 2rem;align-items:center;
border:1px solid var(--line);border-radius:8px;padding:.75rem 1rem;margin:1rem 0}
.overview h2{position:absolute;clip-path:inset(50%);width:1px;height:1px;overflow:hidden;margin:0}
.overview>*{grid-column:1/-1}
.counts-by-severity{grid-column:1;display:flex;gap:1.5rem;list-style:none;padding:0;margin:0}
.counts-by-severity li{color:var(--dim);line-height:1.2}
.counts-by-severity strong{display:block;font-size:1.75rem}
.counts-by-severity .error strong,.kind.error{color:var(--error)}
.counts-by-severity .warning strong,.kind.warning{color:var(--warning)}
.counts-by-severity .remark strong,.kind.remark{color:var(--remark)}
.kinds{grid-column:2;display:flex;flex-wrap:wrap;gap:.35rem .5rem;list-style:none;padding:0;
margin:0} .kinds li{border:1px solid var(--line);border-radius:1rem;padding:.05rem .7rem;
font-size:.875rem} .kind{font-weight:600}
.ranks{display:flex;align-items:center;gap:.75rem;font-size:.8125rem;color:var(--dim);
white-space:nowrap} .strip{flex:0 1 auto;display:flex;gap:2px;min-width:0;
height:1.1rem}
.cell{flex:0 1 auto;width:3rem;background:var(--line);border-radius:2px;min-width:1px;
cursor:pointer}
.cell.error{background:var(--error)} .cell.warning{background:var(--warning)}
.cell.remark{background:var(--remark)} .ranks+.dim{font-size:.875rem;margin:0}
.controls{display:flex;flex-wrap:wrap;align-items:center;gap:.5rem 1rem;font-size:.875rem;
margin:1.25rem 0} .controls h2{position:absolute;clip-path:inset(50%);width:1px;height:1px;
overflow:hidden;margin:0} .controls label{white-space:nowrap}
.controls fieldset{border:0;padding:0;margin:0;display:flex;flex-wrap:wrap;gap:.25rem .75rem}
.controls legend{float:left;padding:0 .25rem 0 0} #rank{width:5rem} #search{width:16rem}
#kind{width:12rem}
#shown{color:var(--dim);margin:0}
.note{border-left:4px solid var(--warning);background:var(--soft);padding:.5rem 1rem;
margin:.75rem 0;border-radius:0 6px 6px 0} .note h2{margin:0;font-size:1rem}
.note.plain{border-left-color:var(--link)}
.done dt{flex:0 1 22rem;min-width:0} .done strong{color:var(--text)} .done ul{margin:0}
nav h2{margin-bottom:.25rem} nav ol{padding-left:2.25rem;margin:0;font-size:.9375rem;columns:30rem;
column-gap:2.5rem} nav li{margin:.3rem 0;break-inside:avoid} nav .badge{min-width:4.25rem;
text-align:center} nav a{text-decoration-thickness:1px;text-underline-offset:2px}
.badge{display:inline-block;border-radius:1rem;padding:0 .6rem;font-size:.8125rem;font-weight:600;
line-height:1.5rem;background:var(--dim);color:var(--on);white-space:nowrap}
nav .badge{font-size:.75rem;line-height:1.25rem}
.badge.error{background:var(--error)} .badge.warning{background:var(--warning)}
.badge.remark{background:var(--remark)} .badge.library{background:var(--library);white-space:normal}
.none{color:var(--good);font-weight:600}
.finding{border:1px solid var(--line);border-left-width:5px;border-radius:8px;margin:.75rem 0;
padding:0 1rem} .finding>summary{padding:.75rem 0 .75rem 1.4rem;text-indent:-1.4rem}
.finding>summary *{text-indent:0}
.finding[open]>summary{margin-bottom:.25rem;border-bottom:1px solid var(--line)}
.finding.error{border-left-color:var(--error)} .finding.warning{border-left-color:var(--warning)}
.finding.remark{border-left-color:var(--remark)}
.finding>summary .dim{margin-left:.5rem;font-size:.875rem}
summary{cursor:pointer} .inside{scroll-margin-top:7rem;padding:.25rem 0 .75rem}
.permalink{float:right;font-size:.8125rem;margin:.25rem 0 0 1rem}
.advice{margin:.5rem 0 .75rem}
.parties{display:grid;gap:1rem;grid-template-columns:repeat(auto-fit,minmax(min(100%,32rem),1fr));
clear:both} .party{background:var(--soft);border:1px solid var(--line);border-radius:6px;
padding:.75rem;min-width:0}
.call{margin-bottom:.5rem;line-height:1.3} .source,.place{font-size:.9375rem;margin:.25rem 0}
.source pre{border:1px solid var(--line);border-radius:6px;background:var(--back);padding:.4rem 0;
white-space:pre-wrap;tab-size:4;margin-top:.25rem}
.line{display:grid;grid-template-columns:3.5rem minmax(0,1fr);gap:0 .9rem;padding-right:.5rem}
.line code{padding-left:2ch;text-indent:-2ch;font:inherit} .line .number{text-align:right}
.number{color:var(--dim);user-select:none}
mark.line{background:var(--mark);color:inherit;box-shadow:inset 3px 0 var(--error)}
mark .number{color:inherit;font-weight:600}
.details{font-size:.9375rem}
.scroll{overflow-x:auto;border:1px solid var(--line);border-radius:6px;background:var(--back)}
.scroll>pre{padding:.5rem;width:max-content;min-width:100%}
figure{margin:.25rem 0 .5rem} figcaption{font-size:.8125rem;color:var(--dim)}
.picture{border:0;background:none} .picture svg{display:block;max-width:100%;height:auto}
WIDTHS
.block{white-space:pre-wrap;margin:.5rem 0}
.rule dt{flex-basis:6rem}
.around{margin:1rem 0 0} .around h5{margin-top:1rem} table{border-collapse:collapse;
font-size:.875rem;min-width:100%} caption{text-align:left;padding:.5rem .6rem;color:var(--dim)}
th,td{text-align:left;vertical-align:top;padding:.3rem .6rem;border-top:1px solid var(--line);
overflow-wrap:normal} th{white-space:nowrap} td{min-width:8rem}
td.number,th.number{text-align:right;min-width:0}
.counts th.number{color:var(--text)}
tbody th{font-weight:400;color:var(--dim)} td .dim{display:block}
.here{background:var(--mark)} .here th{color:inherit;font-weight:600;
border-left:4px solid var(--error)} .here .dim{color:inherit}
@media (max-width:44rem){dt{flex-basis:100%}.finding{padding:0 .6rem}.party{padding:.5rem}
.overview{grid-template-columns:minmax(0,1fr)} .kinds{grid-column:1} #search{flex:1;min-width:0}
.controls label:has(#search){flex:1 0 100%;display:flex;gap:.5rem;align-items:center}
.permalink{float:none;margin:.25rem 0}
.line{grid-template-columns:2.25rem minmax(0,1fr);gap:0 .5rem} .run{gap:.25rem 1.5rem}
.ranks{flex-wrap:wrap}.strip{order:3;flex:1 0 100%}.cell{flex-grow:1}
.ranks>span:first-child{flex:1}.ranks>span:last-child{margin-left:auto}}
@media print{:root{color-scheme:light} body{max-width:none;padding:0;font-size:10.5pt}
.skip,nav,.controls,button,.permalink{display:none!important}
.finding,.party{break-inside:auto} .source,.row,tr,figure,.line{break-inside:avoid}
.finding>summary{break-after:avoid} .scroll{overflow:visible}
details::details-content{content-visibility:visible;display:block}
.picture svg{min-width:0!important} .scroll>pre{white-space:pre-wrap;width:auto}
.badge,.cell,mark{print-color-adjust:exact}}
"""

# Below these widths pictures are scrolled, because they would be too small to read.
_WIDTHS = "".join(
    f".at-least-{step} svg{{min-width:{step * STEP}px}}\n" for step in range(FITS + 1, WIDEST + 1)
)
_PICTURES = (type_tree_svg.STYLE, map_svg.style(), why_svg.style(), rma_timeline_svg.STYLE)
STYLE = _PAGE.replace("WIDTHS\n", _WIDTHS) + "".join(f"{style}\n" for style in _PICTURES)
