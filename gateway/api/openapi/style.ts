// The stylesheet of the pages about the API, for light and dark mode and for phones.
export const API_PAGES_STYLESHEET = `
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
  padding: 1rem max(1.25rem, calc((100% - 75.5rem) / 2)); border-bottom: 1px solid var(--line);
}
.top nav { display: flex; gap: 1rem; }
.brand { font-weight: 700; font-size: 1.15rem; color: var(--ink); text-decoration: none; }
.columns { max-width: 78rem; margin: 0 auto; padding: 1.25rem; }
h1 { margin: .5rem 0 1rem; font-size: 1.75rem; line-height: 1.2; }
h2 { margin: 2.25rem 0 1rem; font-size: 1.3rem; }
h3 { margin: 0 0 .5rem; font-size: 1.05rem; }
h4 { margin: 1.25rem 0 .4rem; font-size: .95rem; }
p { margin: .5rem 0; }
.card { margin: 1rem 0; padding: 1rem 1.25rem; background: var(--card); border: 1px solid var(--line); border-radius: .6rem; }
.card h2 { margin: 0 0 .25rem; font-size: 1.1rem; }
.card:target { border-color: var(--accent); box-shadow: 0 0 0 1px var(--accent); }
.card > :last-child { margin-bottom: 0; }
.intro, .sections { min-width: 0; max-width: 54rem; }
.contents { margin: 1.5rem 0; font-size: .92rem; }
.contents ul { margin: 0 0 .75rem; padding: 0; list-style: none; }
.contents > ul > li { font-weight: 600; }
.contents li li, .contents a { font-weight: 400; }
.contents a { display: grid; grid-template-columns: 3.75rem 1fr; padding: .15rem 0; text-decoration: none; }
.contents a:hover { text-decoration: underline; }
.method { font: 600 .8rem/1.9 ui-monospace, monospace; color: var(--soft); }
h3 .method { margin-right: .4rem; color: var(--accent); }
.status { font: 600 .9em ui-monospace, monospace; color: var(--soft); }
.failures { display: flex; flex-wrap: wrap; gap: .1rem 1.1rem; padding: 0; margin: .25rem 0; list-style: none; font-size: .92rem; }
code, pre { font: .875em/1.5 ui-monospace, monospace; background: var(--code); border-radius: .3rem; }
code { padding: .1em .3em; overflow-wrap: anywhere; }
summary { margin-top: 1rem; cursor: pointer; color: var(--accent); }
pre { margin: .5rem 0; padding: .75rem .9rem; overflow-x: auto; }
pre.wrap { white-space: pre-wrap; overflow-wrap: anywhere; }
table { border-collapse: collapse; width: 100%; font-size: .92rem; }
th, td { padding: .4rem .75rem .4rem 0; text-align: left; vertical-align: top; border-bottom: 1px solid var(--line); }
tr > :first-child { width: 36%; }
td:first-child code { white-space: nowrap; }
small { display: block; margin-top: .1rem; color: var(--soft); font-size: .9em; }
@media (min-width: 64rem) {
  .columns { display: grid; grid-template: auto 1fr / 19rem 1fr; column-gap: 2.5rem; }
  .intro, .sections { grid-column: 2; }
  .contents {
    grid-area: 1 / 1 / span 2; position: sticky; top: 1rem; max-height: calc(100vh - 2rem); margin: .5rem 0;
    overflow-y: auto; align-self: start;
  }
}
`
