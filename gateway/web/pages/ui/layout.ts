// The layout of every page: the navigation, the signed-in user, services that are down, the notice, and the
// page itself.

import { LANGUAGES } from '../../../../shared/messages/languages.ts'
import { type Content, formatAttributes, type Html, html, htmlDocument } from '../../../html/html.ts'
import { currentLanguage, t, translate } from '../../locales/translate.ts'
import { linkTo } from '../../sessions/addresses.ts'
import { formatAssetLink } from '../page/assets.ts'
import type { Page, PageView } from '../page/page.ts'
import type { SECTIONS, SectionName } from '../page/sections.ts'
import { showIcon } from './icons.ts'
import { showLink, showLinkOrText } from './parts.ts'
import { showNotice } from './states.ts'

type LayoutData = {
  root: string
  title: string
  /** The e-mail of the viewer; undefined if the viewer is not signed in and there is no navigation. */
  email: string | undefined
  /** The address of people's own pages, if they are enabled. */
  myDay?: string | undefined
  /** Whether the sidebar shows icons only. */
  isNarrow: boolean
  sections: ReadonlyArray<(typeof SECTIONS)[number]>
  section: Page['section']
  systemStatus: string[]
  notice: Html | undefined
  /** The address of this page, to which other pages lead back. */
  here: string
  view: PageView
}

// The sections that are most important on a phone. A phone shows them at the bottom of the screen.
const BAR_SECTIONS: ReadonlySet<SectionName> = new Set(['Today', 'Map', 'Bookings', 'People'])
export function showLayout(data: LayoutData): Html {
  const { root, title, email, systemStatus, notice, view } = data
  const head = html`<meta name="color-scheme" content="light dark">
<title>${title} · Berth</title>
<link rel="icon" href="${formatAssetLink(root, 'icon.svg')}">
<link rel="stylesheet" href="${formatAssetLink(root, 'all.css')}">
${['dashboard', view.script].map((name) => name && html`<script type="module" src="${formatAssetLink(root, `${name}.js`)}"></script>`)}`
  const body = html`${showLink('#main', t`Skip to content`, { class: 'skip' })}
${email === undefined ? html`<header class="top">${showBrand(root)}<span class="languages">${showLanguageLinks(data)}</span></header>` : showNavigation(data, email)}
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

// Shows the navigation. On a wide screen, it is at the side. On a small screen, the brand and the search are
// at the top, and the sections are at the bottom, in a bar that shows a few of them until a button opens the
// others.
function showNavigation(data: LayoutData, email: string): Html {
  const { root } = data
  return html`<div class="side"><header class="top">${showBrand(root)}${showFinder(root)}</header>
<div class="sections" id="sections" popover><button type="button" class="menu" popovertarget="sections">${showIcon(root, 'menu')}<span>${t`Menu`}</span></button>
${showSectionLinks(data)}
<div class="account"><span title="${email}">${email}</span>
${data.myDay !== undefined && showLink(data.myDay, t`My day`)}
<span class="languages">${showLanguageLinks(data)}</span>
${showLink(linkTo(root, '/sign-out'), t`Sign out`)}</div></div>
${showFoldLink(data)}</div>`
}

function showFoldLink({ root, here, isNarrow }: LayoutData): Html {
  const address = linkTo(root, `/sidebar/${isNarrow ? 'wide' : 'narrow'}`, { next: here })
  const label = isNarrow ? t`Show the names of the sections` : t`Show icons only`
  return showLinkOrText(address, html`${showIcon(root, 'sidebar')}<span class="unseen">${label}</span>`, {
    class: 'fold',
    title: label,
    rel: 'nofollow',
  })
}

function showFinder(root: string): Html {
  return html`<form class="find" role="search" aria-label="${t`Everything`}" action="${linkTo(root, '/find')}">
${showIcon(root, 'search')}<input type="search" name="q" aria-label="${t`Find anything`}" aria-keyshortcuts="/ Control+K" placeholder="${t`Find anything`}" maxlength="255"><kbd aria-hidden="true">/</kbd></form>`
}

function showSectionLinks({ root, sections, section, isNarrow }: LayoutData): Html {
  const items = sections.map(({ name, label: text, path, icon: drawn, group }, index) => {
    const current = name === section ? 'page' : undefined
    const content = html`${showIcon(root, drawn)}<span>${translate(text)}</span>`
    const link = showLink(linkTo(root, path), content, {
      'aria-current': current,
      title: isNarrow && translate(text),
    })
    const begins = index > 0 && sections[index - 1]?.group !== group
    const kind = BAR_SECTIONS.has(name) ? 'bar' : begins ? `begins-${group}` : undefined
    return link && html`<li${formatAttributes({ class: kind })}>${link}</li>`
  })
  return html`<nav aria-label="${t`Sections`}"><ul>${items}</ul></nav>`
}

/** Shows links to the other languages, each by its native name. */
export function showLanguageLinks({ root, here }: Pick<LayoutData, 'root' | 'here'>): Html {
  const others = Object.entries(LANGUAGES).filter(([name]) => name !== currentLanguage())
  return html`${others.map(([name, label]) =>
    showLinkOrText(linkTo(root, `/language/${name}`, { next: here }), label, {
      lang: name,
      hreflang: name,
      rel: 'nofollow',
    }),
  )}`
}

function breadcrumbs(root: string, { breadcrumbs: pages = [] }: PageView): Content {
  if (pages.length === 0) return null
  const items = pages.map(([label, path]) => html`<li>${showLinkOrText(linkTo(root, path), label)}</li>`)
  return html`<nav class="breadcrumbs" aria-label="${t`Breadcrumbs`}"><ol>${items}</ol></nav>`
}

export function showBrand(root: string): Html {
  return showLinkOrText(
    linkTo(root, '/'),
    html`<svg class="logo" viewBox="0 0 24 24" aria-hidden="true" focusable="false">
<rect width="24" height="24" rx="6" /><path d="M5 12h14M7.5 12v6M16.5 12v6M12 6.5v2.5M9.5 6.5h5" /></svg>Berth`,
    { class: 'brand' },
  )
}
