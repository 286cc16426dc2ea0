// The layout of every page: navigation, who is signed in, what is down, what was just done, and the page itself.
import { attributes, type Content, type Html, html, htmlDocument } from '../../http/html.ts'
import { assetLink } from '../framework/assets.ts'
import type { SectionName, View } from '../framework/page.ts'

export type LayoutData = {
  root: string
  title: string
  /** Undefined where nobody is signed in: then there is nothing to navigate. */
  email: string | undefined
  sections: Array<{ name: SectionName; address: string }>
  section: SectionName | undefined
  link(path: string): string
  systemStatus: string[]
  notice: string | undefined
}

const STYLES = ['dashboard.css', 'today.css', 'places.css', 'bookings.css', 'people.css', 'day.css']

export function layout(data: LayoutData, view: View): Html {
  const title = view.title ?? data.title
  const head = html`<meta name="color-scheme" content="light dark">
<title>${title} · Berth</title>
<link rel="icon" href="${assetLink(data.root, 'icon.svg')}">
${STYLES.map((name) => html`<link rel="stylesheet" href="${assetLink(data.root, name)}">`)}
<script type="module" src="${assetLink(data.root, 'dashboard.js')}"></script>`
  const body = html`<a class="skip" href="#main">Skip to content</a>
${data.email === undefined ? brand(data) : navigation(data, data.email)}
<main id="main" tabindex="-1">
${!view.showsSystemStatus && data.systemStatus.map((each) => html`<div class="notice warn" role="status"><p>${each}</p></div>`)}
${data.notice !== undefined && html`<div class="notice good" role="status"><p>${data.notice}</p></div>`}
${breadcrumbs(data, view)}
<header class="head"><div><h1>${title}</h1>${view.lead !== undefined && html`<p class="lead">${view.lead}</p>`}</div>
${view.tools && html`<div class="tools">${view.tools}</div>`}</header>
${view.content}
</main>`
  return htmlDocument(head, body, data.email === undefined ? 'alone' : 'framed')
}

function brand({ link }: LayoutData): Html {
  return html`<header class="top"><a class="brand" href="${link('/')}">${logo()}Berth</a></header>`
}

// Twice: at the side of a wide screen, and in a menu at the top of a small one. Only one of them is ever shown.
function navigation(data: LayoutData, email: string): Html {
  return html`<header class="top small"><a class="brand" href="${data.link('/')}">${logo()}Berth</a>
<details class="menu"><summary>Menu</summary><div class="sheet">${finder(data)}${links(data, 'Menu')}${account(data, email)}</div></details>
</header>
<div class="side"><a class="brand" href="${data.link('/')}">${logo()}Berth</a>${finder(data)}${links(data, 'Sections')}${account(data, email)}</div>`
}

function finder({ link }: LayoutData): Html {
  return html`<form class="find" role="search" aria-label="Everything" action="${link('/find')}">
<input type="search" name="q" aria-label="Find anything" aria-keyshortcuts="/ Control+K" placeholder="Find anything ( / )" maxlength="255"></form>`
}

function links({ sections, section }: LayoutData, label: string): Html {
  const items = sections.map(({ name, address }) => {
    const current = attributes({ 'aria-current': name === section ? 'page' : undefined })
    return html`<li><a href="${address}"${current}>${name}</a></li>`
  })
  return html`<nav aria-label="${label}"><ul>${items}</ul></nav>`
}

function account({ link }: LayoutData, email: string): Html {
  return html`<div class="account"><span title="${email}">${email}</span><a href="${link('/sign-out')}">Sign out</a></div>`
}

function breadcrumbs({ link }: LayoutData, { breadcrumbs: pages = [] }: View): Content {
  if (pages.length === 0) return null
  const items = pages.map(([label, path]) => html`<li><a href="${link(path)}">${label}</a></li>`)
  return html`<nav class="breadcrumbs" aria-label="Breadcrumbs"><ol>${items}</ol></nav>`
}

function logo(): Html {
  return html`<svg class="logo" viewBox="0 0 24 24" aria-hidden="true" focusable="false">
<rect width="24" height="24" rx="6" /><path d="M5 12h14M7.5 12v6M16.5 12v6M12 6.5v2.5M9.5 6.5h5" /></svg>`
}
