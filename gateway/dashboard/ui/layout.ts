// The layout of every page: navigation, the signed-in user, what is down, the notice, and the page itself.

import { LANGUAGES, type Language } from '../../../shared/messages/languages.ts'
import { type Content, type Html, html, htmlDocument } from '../../http/html.ts'
import { assetLink } from '../kit/assets.ts'
import type { SectionName, View } from '../kit/page.ts'
import { t } from '../locales/translate.ts'
import { showLink, showLinkOrText } from './links.ts'

export type LayoutData = {
  root: string
  title: string
  /** Undefined if the viewer is not signed in; there is no navigation then. */
  email: string | undefined
  sections: Array<{ name: SectionName; label: string; address: string }>
  section: SectionName | undefined
  link(path: string, query?: Record<string, string>): string
  systemStatus: string[]
  notice: string | undefined
  language: Language
  /** The address of this page, to return to. */
  here: string
}

const STYLES = ['dashboard.css', 'today.css', 'places.css', 'bookings.css', 'people.css', 'day.css']

export function layout(data: LayoutData, view: View): Html {
  const title = view.title ?? data.title
  const head = html`<meta name="color-scheme" content="light dark">
<title>${title} · Berth</title>
<link rel="icon" href="${assetLink(data.root, 'icon.svg')}">
${STYLES.map((name) => html`<link rel="stylesheet" href="${assetLink(data.root, name)}">`)}
<script type="module" src="${assetLink(data.root, 'dashboard.js')}"></script>`
  const body = html`${showLink('#main', t`Skip to content`, { class: 'skip' })}
${data.email === undefined ? brand(data) : navigation(data, data.email)}
<main id="main" tabindex="-1">
${!view.showsSystemStatus && data.systemStatus.map((each) => html`<div class="notice warn" role="status"><p>${each}</p></div>`)}
${data.notice !== undefined && html`<div class="notice good" role="status"><p>${data.notice}</p></div>`}
${breadcrumbs(data, view)}
<header class="head"><div><h1>${title}</h1>${view.lead !== undefined && html`<p class="lead">${view.lead}</p>`}</div>
${view.tools && html`<div class="tools">${view.tools}</div>`}</header>
${view.content}
</main>`
  const bodyClass = data.email === undefined ? 'alone' : 'framed'
  return htmlDocument(head, body, { bodyClass, language: data.language })
}

function brand(data: LayoutData): Html {
  return html`<header class="top">${showLinkOrText(data.link('/'), html`${logo()}Berth`, { class: 'brand' })}${languageLinks(data)}</header>`
}

// Contained twice: at the side of a wide screen, and in a menu at the top of a small one. Only one of them is
// ever shown.
function navigation(data: LayoutData, email: string): Html {
  return html`<header class="top small">${showLinkOrText(data.link('/'), html`${logo()}Berth`, { class: 'brand' })}
<details class="menu"><summary>${t`Menu`}</summary><div class="sheet">${finder(data)}${links(data, t`Menu`)}${account(data, email)}</div></details>
</header>
<div class="side">${showLinkOrText(data.link('/'), html`${logo()}Berth`, { class: 'brand' })}${finder(data)}${links(data, t`Sections`)}${account(data, email)}</div>`
}

function finder({ link }: LayoutData): Html {
  return html`<form class="find" role="search" aria-label="${t`Everything`}" action="${link('/find')}">
<input type="search" name="q" aria-label="${t`Find anything`}" aria-keyshortcuts="/ Control+K" placeholder="${t`Find anything ( / )`}" maxlength="255"></form>`
}

function links({ sections, section }: LayoutData, label: string): Html {
  const items = sections.map(({ name, label, address }) => {
    const current = name === section ? 'page' : undefined
    return html`<li>${showLink(address, label, { 'aria-current': current })}</li>`
  })
  return html`<nav aria-label="${label}"><ul>${items}</ul></nav>`
}

function account(data: LayoutData, email: string): Html {
  return html`<div class="account"><span title="${email}">${email}</span>${showLink(data.link('/sign-out'), t`Sign out`)}${languageLinks(data)}</div>`
}

/** Links to the other languages, each by its native name. */
function languageLinks({ link, language, here }: LayoutData): Html {
  const others = Object.entries(LANGUAGES).filter(([name]) => name !== language)
  return html`<span class="languages">${others.map(([name, label]) =>
    showLinkOrText(link(`/language/${name}`, { next: here }), label, {
      lang: name,
      hreflang: name,
      rel: 'nofollow',
    }),
  )}</span>`
}

function breadcrumbs({ link }: LayoutData, { breadcrumbs: pages = [] }: View): Content {
  if (pages.length === 0) return null
  const items = pages.map(([label, path]) => html`<li>${showLinkOrText(link(path), label)}</li>`)
  return html`<nav class="breadcrumbs" aria-label="${t`Breadcrumbs`}"><ol>${items}</ol></nav>`
}

function logo(): Html {
  return html`<svg class="logo" viewBox="0 0 24 24" aria-hidden="true" focusable="false">
<rect width="24" height="24" rx="6" /><path d="M5 12h14M7.5 12v6M16.5 12v6M12 6.5v2.5M9.5 6.5h5" /></svg>`
}
