// The layout of every page: navigation, the signed-in user, what is down, the notice, and the page itself.

import { LANGUAGES } from '../../../shared/messages/languages.ts'
import { type Content, type Html, html, htmlDocument } from '../../http/html.ts'
import { assetLink } from '../kit/assets.ts'
import type { SECTIONS, SectionName, View } from '../kit/page.ts'
import { linkTo } from '../kit/sessions/addresses.ts'
import { currentLanguage, t, translate } from '../locales/translate.ts'
import { showLink, showLinkOrText } from './parts.ts'

type Layout = {
  root: string
  title: string
  /** Undefined if the viewer is not signed in; there is no navigation then. */
  email: string | undefined
  sections: ReadonlyArray<(typeof SECTIONS)[number]>
  section: SectionName | undefined
  systemStatus: string[]
  notice: string | undefined
  /** The address of this page, to return to. */
  here: string
  view: View
}

const STYLES = ['dashboard.css', 'today.css', 'places.css', 'bookings.css', 'people.css', 'day.css']

export function layout(data: Layout): Html {
  const { root, title, email, systemStatus, notice, view } = data
  const head = html`<meta name="color-scheme" content="light dark">
<title>${title} · Berth</title>
<link rel="icon" href="${assetLink(root, 'icon.svg')}">
${STYLES.map((name) => html`<link rel="stylesheet" href="${assetLink(root, name)}">`)}
<script type="module" src="${assetLink(root, 'dashboard.js')}"></script>`
  const body = html`${showLink('#main', t`Skip to content`, { class: 'skip' })}
${email === undefined ? html`<header class="top">${brand(root)}${languageLinks(data)}</header>` : navigation(data, email)}
<main id="main" tabindex="-1">
${systemStatus.map((each) => html`<div class="notice warn" role="status"><p>${each}</p></div>`)}
${notice !== undefined && html`<div class="notice good" role="status"><p>${notice}</p></div>`}
${breadcrumbs(root, view)}
<header class="head"><div><h1>${title}</h1>${view.lead !== undefined && html`<p class="lead">${view.lead}</p>`}</div>
${view.tools && html`<div class="tools">${view.tools}</div>`}</header>
${view.content}
</main>`
  const bodyClass = email === undefined ? 'alone' : 'framed'
  return htmlDocument(head, body, { bodyClass, language: currentLanguage() })
}

// Contained twice: at the side of a wide screen, and in a menu at the top of a small one. Only one of them is
// ever shown.
function navigation(data: Layout, email: string): Html {
  const { root } = data
  const parts = (label: string) => html`${finder(root)}${links(data, label)}
<div class="account"><span title="${email}">${email}</span>${showLink(linkTo(root, '/sign-out'), t`Sign out`)}${languageLinks(data)}</div>`
  return html`<header class="top small">${brand(root)}
<details class="menu"><summary>${t`Menu`}</summary><div class="sheet">${parts(t`Menu`)}</div></details>
</header>
<div class="side">${brand(root)}${parts(t`Sections`)}</div>`
}

function finder(root: string): Html {
  return html`<form class="find" role="search" aria-label="${t`Everything`}" action="${linkTo(root, '/find')}">
<input type="search" name="q" aria-label="${t`Find anything`}" aria-keyshortcuts="/ Control+K" placeholder="${t`Find anything ( / )`}" maxlength="255"></form>`
}

function links({ root, sections, section }: Layout, label: string): Html {
  const items = sections.map(({ name, label: text, path }) => {
    const current = name === section ? 'page' : undefined
    const link = showLink(linkTo(root, path), translate(text), { 'aria-current': current })
    return link && html`<li>${link}</li>`
  })
  return html`<nav aria-label="${label}"><ul>${items}</ul></nav>`
}

/** Links to the other languages, each by its native name. */
function languageLinks({ root, here }: Layout): Html {
  const others = Object.entries(LANGUAGES).filter(([name]) => name !== currentLanguage())
  return html`<span class="languages">${others.map(([name, label]) =>
    showLinkOrText(linkTo(root, `/language/${name}`, { next: here }), label, {
      lang: name,
      hreflang: name,
      rel: 'nofollow',
    }),
  )}</span>`
}

function breadcrumbs(root: string, { breadcrumbs: pages = [] }: View): Content {
  if (pages.length === 0) return null
  const items = pages.map(([label, path]) => html`<li>${showLinkOrText(linkTo(root, path), label)}</li>`)
  return html`<nav class="breadcrumbs" aria-label="${t`Breadcrumbs`}"><ol>${items}</ol></nav>`
}

function brand(root: string): Html {
  return showLinkOrText(
    linkTo(root, '/'),
    html`<svg class="logo" viewBox="0 0 24 24" aria-hidden="true" focusable="false">
<rect width="24" height="24" rx="6" /><path d="M5 12h14M7.5 12v6M16.5 12v6M12 6.5v2.5M9.5 6.5h5" /></svg>Berth`,
    { class: 'brand' },
  )
}
