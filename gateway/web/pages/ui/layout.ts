// The layout of every page: navigation, the signed-in user, what is down, the notice, and the page itself.

import { LANGUAGES } from '../../../../shared/messages/languages.ts'
import { attributes, type Content, type Html, html, htmlDocument } from '../../../html/html.ts'
import { currentLanguage, t, translate } from '../../locales/translate.ts'
import { linkTo } from '../../sessions/addresses.ts'
import { assetLink, STYLES } from '../page/assets.ts'
import type { Page, View } from '../page/page.ts'
import type { SECTIONS, SectionName } from '../page/sections.ts'
import { icon } from './icons.ts'
import { showLink, showLinkOrText } from './parts.ts'
import { showNotice } from './states.ts'

type Layout = {
  root: string
  title: string
  /** Undefined if the viewer is not signed in; there is no navigation then. */
  email: string | undefined
  /** The address of the people's own pages, if they are on. */
  myDay?: string | undefined
  /** Whether the sidebar shows icons only. */
  isNarrow: boolean
  sections: ReadonlyArray<(typeof SECTIONS)[number]>
  section: Page['section']
  systemStatus: string[]
  notice: Html | undefined
  /** The address of this page, to return to. */
  here: string
  view: View
}

// Needed most on a phone: at the bottom of its screen.
const BAR: ReadonlySet<SectionName> = new Set(['Today', 'Map', 'Bookings', 'People'])
export function layout(data: Layout): Html {
  const { root, title, email, systemStatus, notice, view } = data
  const head = html`<meta name="color-scheme" content="light dark">
<title>${title} · Berth</title>
<link rel="icon" href="${assetLink(root, 'icon.svg')}">
<link rel="stylesheet" href="${assetLink(root, STYLES)}">
<script type="module" src="${assetLink(root, 'dashboard.js')}"></script>`
  const body = html`${showLink('#main', t`Skip to content`, { class: 'skip' })}
${email === undefined ? html`<header class="top">${brand(root)}<span class="languages">${languageLinks(data)}</span></header>` : navigation(data, email)}
<main id="main" tabindex="-1">
${systemStatus.map((each) => showNotice('warn', each))}
${notice}
${breadcrumbs(root, view)}
<header class="head"><div><h1>${title}</h1>${view.lead !== undefined && html`<p class="lead">${view.lead}</p>`}</div>
${view.tools && html`<div class="tools">${view.tools}</div>`}</header>
${view.content}
</main>`
  const bodyClass = email === undefined ? 'alone' : data.isNarrow ? 'framed narrow-side' : 'framed'
  return htmlDocument(head, body, { bodyClass, language: currentLanguage() })
}

// At the side of a wide screen. On a small one the brand and the search are at the top, and the sections in a sheet at the
// bottom, which is a bar with a few of them until its button opens it.
function navigation(data: Layout, email: string): Html {
  const { root } = data
  return html`<div class="side"><header class="top">${brand(root)}${finder(root)}</header>
<div class="sheet" id="sections" popover><button type="button" class="menu" popovertarget="sections">${icon(root, 'menu')}<span>${t`Menu`}</span></button>
${links(data)}
<div class="account"><span title="${email}">${email}</span>
${data.myDay !== undefined && showLink(data.myDay, t`My day`)}
<span class="languages">${languageLinks(data)}</span>
${showLink(linkTo(root, '/sign-out'), t`Sign out`)}</div></div>
${foldLink(data)}</div>`
}

function foldLink({ root, here, isNarrow }: Layout): Html {
  const address = linkTo(root, `/sidebar/${isNarrow ? 'wide' : 'narrow'}`, { next: here })
  const label = isNarrow ? t`Show the names of the sections` : t`Show icons only`
  return showLinkOrText(address, html`${icon(root, 'sidebar')}<span class="unseen">${label}</span>`, {
    class: 'fold',
    title: label,
    rel: 'nofollow',
  })
}

function finder(root: string): Html {
  return html`<form class="find" role="search" aria-label="${t`Everything`}" action="${linkTo(root, '/find')}">
${icon(root, 'search')}<input type="search" name="q" aria-label="${t`Find anything`}" aria-keyshortcuts="/ Control+K" placeholder="${t`Find anything`}" maxlength="255"><kbd aria-hidden="true">/</kbd></form>`
}

function links({ root, sections, section, isNarrow }: Layout): Html {
  const items = sections.map(({ name, label: text, path, icon: drawn, group }, index) => {
    const current = name === section ? 'page' : undefined
    const content = html`${icon(root, drawn)}<span>${translate(text)}</span>`
    const link = showLink(linkTo(root, path), content, {
      'aria-current': current,
      title: isNarrow && translate(text),
    })
    const begins = index > 0 && sections[index - 1]?.group !== group
    const kind = BAR.has(name) ? 'bar' : begins ? `begins-${group}` : undefined
    return link && html`<li${attributes({ class: kind })}>${link}</li>`
  })
  return html`<nav aria-label="${t`Sections`}"><ul>${items}</ul></nav>`
}

/** Links to the other languages, each by its native name. */
export function languageLinks({ root, here }: Pick<Layout, 'root' | 'here'>): Html {
  const others = Object.entries(LANGUAGES).filter(([name]) => name !== currentLanguage())
  return html`${others.map(([name, label]) =>
    showLinkOrText(linkTo(root, `/language/${name}`, { next: here }), label, {
      lang: name,
      hreflang: name,
      rel: 'nofollow',
    }),
  )}`
}

function breadcrumbs(root: string, { breadcrumbs: pages = [] }: View): Content {
  if (pages.length === 0) return null
  const items = pages.map(([label, path]) => html`<li>${showLinkOrText(linkTo(root, path), label)}</li>`)
  return html`<nav class="breadcrumbs" aria-label="${t`Breadcrumbs`}"><ol>${items}</ol></nav>`
}

export function brand(root: string): Html {
  return showLinkOrText(
    linkTo(root, '/'),
    html`<svg class="logo" viewBox="0 0 24 24" aria-hidden="true" focusable="false">
<rect width="24" height="24" rx="6" /><path d="M5 12h14M7.5 12v6M16.5 12v6M12 6.5v2.5M9.5 6.5h5" /></svg>Berth`,
    { class: 'brand' },
  )
}
