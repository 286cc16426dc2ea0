// The HTML document of a screen, which fills the whole display.
import { randomUUID } from 'node:crypto'
import { instantOf } from '../../../shared/utilities/date-times.ts'
import { attributes, type Content, Html, html, htmlDocument } from '../../html/html.ts'
import { currentLanguage, t } from '../locales/translate.ts'
import { assetLink } from '../pages/page/assets.ts'
import { formatTime } from '../pages/time/instants.ts'
import { UNDO_SECONDS } from './door/undo-end.ts'
import type { Screen, ScreenContent } from './screen/views.ts'

/** How often a screen without scripts loads its page again; an e-ink display flickers when it does. */
const REFRESH_SECONDS = { light: 60, dark: 60, 'e-ink': 300 }

/** The addresses of scripts contain their version: a page of an earlier release reloads itself. */
export const releaseOf = (root: string) => assetLink(root, 'screen.js').split('/').at(-2) ?? ''

type Shown = {
  root: string
  screen: Screen
  address: string
  content: ScreenContent
  nowMs: number
  notice: Content
  /** The booking or event that was ended here a moment ago, and can be brought back. */
  ended: string | undefined
}

export function showScreenPage({ root, screen, address, content, nowMs, notice, ended }: Shown): Html {
  const { appearance } = screen
  const { zone, name, place, frames } = content
  const script = assetLink(root, 'screen.js')
  const head = html`${headOf(root, name, appearance)}
<script type="module" src="${script}"></script>
<noscript><meta http-equiv="refresh" content="${ended === undefined ? REFRESH_SECONDS[appearance] : UNDO_SECONDS};url=${address}"></noscript>`
  const own = attributes({
    id: 'screen',
    'data-address': address,
    'data-zone': zone,
    'data-now': nowMs,
    'data-release': releaseOf(root),
    'data-appearance': appearance,
    'data-offline': t`As of ${'{time}'}. No connection.`,
    'data-failed': t`That did not work. Please try again.`,
    'data-off': t`This screen has been switched off.`,
    'data-worker': assetLink(root, 'screen-worker.js'),
  })
  const body = html`<header class="screen-top"><div><h1>${name}</h1><p>${place}</p></div><time class="screen-clock" id="clock">${formatTime(instantOf(nowMs), zone)}</time></header>
<main${own}>${withKey(frames[0]?.html ?? '')}</main>
<p class="screen-notice" id="notice" role="status">${notice}</p>
${screen.kind === 'door' && withKey(showUndo(ended).text)}`
  return htmlDocument(head, body, { bodyClass: `screen ${appearance}`, language: currentLanguage() })
}

/** The script fills it in and shows it when a press ends something. */
const showUndo = (ended: string | undefined): Html =>
  html`<form method="post" class="screen-undo" id="undo"${ended === undefined && html` hidden`} data-seconds="${UNDO_SECONDS}"><p role="status">${t`Ended.`}</p>
<input type="hidden" name="action" value="undo"><input type="hidden" name="ended" value="${ended ?? ''}"><input type="hidden" name="key" value="">
<button class="door-button">${t`Undo`}</button></form>`

/** Without scripts, each page has a key of its own for what somebody presses on it. */
const withKey = (frame: string) =>
  new Html(frame.replaceAll('name="key" value=""', `name="key" value="${randomUUID()}"`))

const headOf = (
  root: string,
  title: string,
  appearance: string,
) => html`<meta name="color-scheme" content="${appearance === 'dark' ? 'dark' : 'light'}">
<meta name="robots" content="noindex">
<title>${title}</title>
<link rel="icon" href="${assetLink(root, 'icon.svg')}">
<link rel="stylesheet" href="${assetLink(root, 'tokens.css')}">
<link rel="stylesheet" href="${assetLink(root, 'screen.css')}">`

/** For an address that leads nowhere, and for failures. */
export function showScreenFailure(root: string, sentence: string): Html {
  const body = html`<main class="screen-failure"><p>${sentence}</p></main>`
  return htmlDocument(headOf(root, 'Berth', 'light'), body, {
    bodyClass: 'screen light',
    language: currentLanguage(),
  })
}
