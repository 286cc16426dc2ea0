// The frame of people's own pages. On a phone, the navigation is at the lower edge, where a thumb reaches it;
// on a wide screen, it is above the page.

import { formatAttributes, type Html, html, htmlDocument } from '../../html/html.ts'
import { currentLanguage, t, translate } from '../locales/translate.ts'
import { formatAssetLink } from '../pages/page/assets.ts'
import type { SiteFrame } from '../pages/page/context.ts'
import { MY_SECTIONS } from '../pages/page/my-sections.ts'
import { showAppHead } from '../pages/site/web-app-manifest.ts'
import { showIcon } from '../pages/ui/icons.ts'
import { showBrand, showLanguageLinks } from '../pages/ui/layout.ts'
import { linkTo } from '../sessions/addresses.ts'

export function showPhoneFrame(frame: SiteFrame): Html {
  const { root, title, viewer, notice, view } = frame
  const head = html`<meta name="color-scheme" content="light dark">
<title>${title} · Berth</title>
<link rel="icon" href="${formatAssetLink(root, 'icon.svg')}">
${showAppHead(root)}
<link rel="stylesheet" href="${formatAssetLink(root, 'my-all.css')}">
<script type="module" src="${formatAssetLink(root, 'dashboard.js')}"></script>`
  const person = viewer?.person
  const body = html`<a class="skip" href="#main">${t`Skip to content`}</a>
<header class="my-top">${showBrand(root)}${person === undefined && html`<span class="languages">${showLanguageLinks(frame)}</span>`}</header>
${person !== undefined && showSections(frame)}
<main id="main" tabindex="-1">
${notice}
<header class="head"><div><h1>${title}</h1>${view.lead !== undefined && html`<p class="lead">${view.lead}</p>`}</div>
${view.tools && html`<div class="tools">${view.tools}</div>`}</header>
${view.content}
</main>`
  return htmlDocument(head, body, { bodyClass: person ? 'my' : 'my alone', language: currentLanguage() })
}

function showSections({ root, pages, section }: SiteFrame): Html {
  const items = MY_SECTIONS.filter(({ path }) => pages.some((each) => each.path === path)).map(
    ({ name, label, path, icon: drawn }) => {
      const own = formatAttributes({ href: linkTo(root, path), 'aria-current': name === section && 'page' })
      return html`<li><a${own}>${showIcon(root, drawn)}<span>${translate(label)}</span></a></li>`
    },
  )
  return html`<nav class="my-sections" aria-label="${t`Sections`}"><ul>${items}</ul></nav>`
}
