// The frame of the people's own pages: the sections at the lower edge of a phone, where a thumb reaches them, and above the
// page on a wide screen.

import { attributes, type Html, html, htmlDocument } from '../../html/html.ts'
import { currentLanguage, t, translate } from '../locales/translate.ts'
import { assetLink } from '../pages/page/assets.ts'
import type { Frame } from '../pages/page/context.ts'
import { MY_SECTIONS } from '../pages/page/my-sections.ts'
import { icon } from '../pages/ui/icons.ts'
import { brand, languageLinks } from '../pages/ui/layout.ts'
import { linkTo } from '../sessions/addresses.ts'

const STYLES = ['tokens.css', 'dashboard.css', 'lists.css', 'places.css', 'my.css']

export function showPhoneFrame(frame: Frame): Html {
  const { root, title, viewer, notice, view } = frame
  const head = html`<meta name="color-scheme" content="light dark">
<title>${title} · Berth</title>
<link rel="icon" href="${assetLink(root, 'icon.svg')}">
<link rel="apple-touch-icon" href="${assetLink(root, 'touch-icon.png')}">
<link rel="manifest" href="${assetLink(root, 'manifest.webmanifest')}">
${STYLES.map((name) => html`<link rel="stylesheet" href="${assetLink(root, name)}">`)}
<script type="module" src="${assetLink(root, 'dashboard.js')}"></script>`
  const person = viewer?.person
  const body = html`<a class="skip" href="#main">${t`Skip to content`}</a>
<header class="my-top">${brand(root)}${person === undefined && html`<span class="languages">${languageLinks(frame)}</span>`}</header>
${person !== undefined && sections(frame)}
<main id="main" tabindex="-1">
${notice}
<header class="head"><div><h1>${title}</h1>${view.lead !== undefined && html`<p class="lead">${view.lead}</p>`}</div>
${view.tools && html`<div class="tools">${view.tools}</div>`}</header>
${view.content}
</main>`
  return htmlDocument(head, body, { bodyClass: person ? 'my' : 'my alone', language: currentLanguage() })
}

function sections({ root, pages, section }: Frame): Html {
  const items = MY_SECTIONS.filter(({ path }) => pages.some((each) => each.path === path)).map(
    ({ name, label, path, icon: drawn }) => {
      const own = attributes({ href: linkTo(root, path), 'aria-current': name === section && 'page' })
      return html`<li><a${own}>${icon(root, drawn)}<span>${translate(label)}</span></a></li>`
    },
  )
  return html`<nav class="my-sections" aria-label="${t`Sections`}"><ul>${items}</ul></nav>`
}
