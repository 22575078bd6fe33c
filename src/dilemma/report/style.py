"""How the pages look: one style sheet, light and dark, for screen and paper."""

# Okabe and Ito's colours, which people with any colour vision can tell apart; first light, then dark background.
_LIGHT = ("#0072b2", "#e69f00", "#009e73", "#d55e00", "#cc79a7", "#56b4e9", "#8a7a00", "#444444")
_DARK = ("#56b4e9", "#e69f00", "#2fd3a2", "#ff8a3d", "#e7a3c8", "#9ad4f5", "#f0e442", "#bbbbbb")

COLOURS = _LIGHT


def _palette(colours: tuple[str, ...]) -> str:
    return "".join(
        f".curve.s{i},.dots.s{i}{{stroke:{c}}}.point.s{i}{{fill:{c}}}.key.b{i}{{background:{c}}}"
        for i, c in enumerate(colours)
    )


def _tabs(count: int) -> str:
    """Show the figure whose radio button is chosen, and mark its label: tabs without a script."""
    rules = []
    for i in range(count):
        label = f"~.labels label:nth-child({i + 1})"
        rules.append(f"#axis{i}:checked~.axis{i}{{display:block}}")
        rules.append(f"#axis{i}:checked{label}{{background:var(--ink);color:var(--paper)}}")
        rules.append(f"#axis{i}:focus-visible{label}{{outline:2px solid currentColor;outline-offset:2px}}")
    return "\n".join(rules)


CSS = f"""
:root {{ --paper:#fbfaf7; --ink:#20242a; --soft:#646b75; --line:#dcd9d1; --card:#fff; --note:#eef4f8; }}
{_palette(_LIGHT)}
@media (prefers-color-scheme: dark) {{
  :root {{ --paper:#15181d; --ink:#e8e6e1; --soft:#9aa1ab; --line:#343a43; --card:#1d2127; --note:#1c2731; }}
  {_palette(_DARK)}
}}
* {{ box-sizing:border-box; }}
body {{ margin:0; background:var(--paper); color:var(--ink);
  font:16px/1.55 system-ui,-apple-system,"Segoe UI",Roboto,"Helvetica Neue",sans-serif; }}
main {{ max-width:860px; margin:0 auto; padding:2.5rem 1.25rem 3rem; }}
.kicker {{ margin:0; color:var(--soft); font-size:.8rem; letter-spacing:.12em; text-transform:uppercase; }}
h1 {{ margin:.2rem 0 1.4rem; font-size:1.9rem; line-height:1.2; font-weight:650; overflow-wrap:anywhere; }}
h2 {{ margin:2.4rem 0 .7rem; font-size:1.15rem; font-weight:650; }}
h2 small {{ color:var(--soft); font-weight:400; }}
.cards {{ display:grid; grid-template-columns:repeat(auto-fit,minmax(150px,1fr)); gap:.7rem; margin:0; }}
.card {{ background:var(--card); border:1px solid var(--line); border-radius:10px; padding:.7rem .9rem; }}
.card dt {{ color:var(--soft); font-size:.8rem; }}
.card dd {{ margin:0; font-size:1.25rem; font-weight:620; overflow-wrap:anywhere;
  font-variant-numeric:tabular-nums; }}
.card p {{ margin:0; color:var(--soft); font-size:.8rem; min-height:1.2em; }}
.banner {{ background:var(--note); border-radius:10px; padding:.7rem 1rem; margin:1rem 0 0; }}
figure {{ margin:0; background:var(--card); border:1px solid var(--line); border-radius:10px; padding:.8rem; }}
figcaption,.empty {{ color:var(--soft); font-size:.85rem; }}
svg {{ display:block; width:100%; height:auto; }}
.grid {{ stroke:var(--line); stroke-width:1; }} .axis {{ stroke:var(--soft); stroke-width:1; }}
.tick,.label {{ fill:var(--soft); font-size:12px; font-variant-numeric:tabular-nums; }}
.curve {{ fill:none; stroke-width:2.2; stroke-linejoin:round; }}
.dots {{ fill:none; stroke-width:4; stroke-linecap:round; opacity:.45; }}
.legend {{ list-style:none; display:flex; flex-wrap:wrap; gap:.2rem 1.2rem; margin:.5rem 0 0; padding:0;
  font-size:.85rem; }}
.key {{ display:inline-block; width:1.1em; height:3px; margin-right:.45em; vertical-align:middle;
  border-radius:2px; }}
.key.round {{ width:7px; height:7px; border-radius:50%; }}
.tabs input {{ position:absolute; opacity:0; }}
.labels {{ display:flex; gap:.4rem; margin-bottom:.5rem; }}
.labels label {{ padding:.15rem .8rem; border:1px solid var(--line); border-radius:99px; font-size:.85rem;
  cursor:pointer; }}
.tabs figure {{ display:none; }}
{_tabs(3)}
.scroll {{ overflow-x:auto; }}
table {{ border-collapse:collapse; width:100%; font-variant-numeric:tabular-nums; font-size:.92rem; }}
th,td {{ text-align:right; padding:.3rem .7rem; border-bottom:1px solid var(--line); }}
th {{ color:var(--soft); font-weight:500; }}
.named td:first-child,.named th:first-child {{ text-align:left; }}
.named td,.named th {{ padding:.3rem .45rem; }}
.actions {{ columns:14rem; font-size:.9rem; padding-left:2.6rem; }}
.actions li {{ overflow-wrap:anywhere; }}
footer {{ margin-top:3rem; color:var(--soft); font-size:.8rem; }}
@media print {{ body {{ background:#fff; }} .labels {{ display:none; }} figure {{ break-inside:avoid; }} }}
"""
