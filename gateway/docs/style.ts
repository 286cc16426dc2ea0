// The style of the pages about the API: one small sheet, light and dark, readable on a phone.
export const STYLE = `
:root {
  --ink: #1c2430; --soft: #5b6675; --paper: #fbfbf9; --card: #fff; --line: #e2e4e0; --accent: #0b6e75; --code: #f1f2ee;
}
@media (prefers-color-scheme: dark) {
  :root {
    --ink: #e4e8ec; --soft: #9aa6b2; --paper: #14181d; --card: #1b2127; --line: #2c343c; --accent: #5cc4ca; --code: #242b32;
  }
}
* { box-sizing: border-box; }
html { scroll-padding-top: 1rem; }
body { margin: 0; background: var(--paper); color: var(--ink); font: 16px/1.55 system-ui, sans-serif; }
a { color: var(--accent); text-underline-offset: .15em; }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
.top {
  display: flex; flex-wrap: wrap; gap: .5rem 1.5rem; align-items: baseline;
  padding: 1rem 1.25rem; border-bottom: 1px solid var(--line);
}
.top nav { display: flex; gap: 1rem; }
.brand { font-weight: 700; font-size: 1.15rem; color: var(--ink); text-decoration: none; }
main { max-width: 56rem; margin: 0 auto; padding: 1.25rem; }
h1 { font-size: 1.75rem; line-height: 1.2; }
h2 { margin-top: 2.5rem; font-size: 1.3rem; }
h3 { margin: 0 0 .5rem; font-size: 1.05rem; overflow-wrap: anywhere; }
h4 { margin: 1.25rem 0 .4rem; font-size: .95rem; }
.card { margin: 1rem 0; padding: 1.1rem 1.25rem; background: var(--card); border: 1px solid var(--line); border-radius: .6rem; }
.card h2 { margin-top: 0; }
.card:target { border-color: var(--accent); }
.contents { margin: 0; padding-left: 0; list-style: none; font-weight: 600; }
.contents ul { padding-left: 0; list-style: none; font-weight: 400; margin: 0 0 .75rem; }
.contents a { text-decoration: none; overflow-wrap: anywhere; }
.method { display: inline-block; min-width: 3.4rem; font: 600 .8rem/1.6 ui-monospace, monospace; color: var(--accent); }
.status { font: 600 .9em ui-monospace, monospace; color: var(--soft); }
code, pre { font: .875em/1.5 ui-monospace, monospace; background: var(--code); border-radius: .3rem; }
code { padding: .1em .3em; overflow-wrap: anywhere; }
pre { padding: .75rem .9rem; overflow-x: auto; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; font-size: .92rem; }
th, td { padding: .4rem .6rem .4rem 0; text-align: left; vertical-align: top; border-bottom: 1px solid var(--line); }
small { color: var(--soft); }
`
