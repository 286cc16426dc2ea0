// The HTML document of a screen, which fills the whole display.
import { randomUUID } from 'node:crypto'
import { formatInstant } from '../../../shared/utilities/date-times.ts'
import { type Content, formatAttributes, Html, html, htmlDocument } from '../../html/html.ts'
import { currentLanguage, t } from '../locales/translate.ts'
import { formatAssetLink } from '../pages/page/assets.ts'
import { formatTime } from '../pages/time/instants.ts'
import { UNDO_SECONDS } from './door/undo-end.ts'
import type { Screen, ScreenContent } from './screen/views.ts'

/** How many seconds a screen without scripts waits before it reloads its page. An e-ink display waits longer,
 * because reloading makes it flicker. */
const REFRESH_SECONDS = { light: 60, dark: 60, 'e-ink': 300 }

/** Returns the name of the release. The addresses of scripts contain it, and a page of an earlier release
 * reloads itself. */
export const readRelease = (root: string) => formatAssetLink(root, 'screen.js').split('/').at(-2) ?? ''

type ScreenPage = {
  root: string
  screen: Screen
  address: string
  content: ScreenContent
  nowMs: number
  notice: Content
  /** The booking or event that was ended at this screen a moment ago, and can be restored. */
  ended: string | undefined
}

export function showScreenPage({ root, screen, address, content, nowMs, notice, ended }: ScreenPage): Html {
  const { appearance } = screen
  const { zone, name, place, frames } = content
  const script = formatAssetLink(root, 'screen.js')
  const head = html`${showHead(root, name, appearance)}
<script type="module" src="${script}"></script>
<noscript><meta http-equiv="refresh" content="${ended === undefined ? REFRESH_SECONDS[appearance] : UNDO_SECONDS};url=${address}"></noscript>`
  const own = formatAttributes({
    id: 'screen',
    'data-address': address,
    'data-zone': zone,
    'data-now': nowMs,
    'data-release': readRelease(root),
    'data-appearance': appearance,
    'data-offline': t`As of ${'{time}'}. No connection.`,
    'data-failed': t`The request failed. Please try again.`,
    'data-off': t`This screen has been switched off.`,
    'data-worker': formatAssetLink(root, 'screen-worker.js'),
  })
  const body = html`<header class="screen-top"><div><h1>${name}</h1><p>${place}</p></div><time class="screen-clock" id="clock">${formatTime(formatInstant(nowMs), zone)}</time></header>
<main${own}>${fillInKey(frames[0]?.html ?? '')}</main>
<p class="screen-notice" id="notice" role="status">${notice}</p>
${screen.kind === 'door' && fillInKey(showUndoForm(ended).text)}`
  return htmlDocument(head, body, { bodyClass: `screen ${appearance}`, language: currentLanguage() })
}

/** Shows the form that restores an ended booking or event. The script fills it in, and shows it after a press
 * that ends something. */
const showUndoForm = (ended: string | undefined): Html =>
  html`<form method="post" class="screen-undo" id="undo"${ended === undefined && html` hidden`} data-seconds="${UNDO_SECONDS}"><p role="status">${t`Ended.`}</p>
<input type="hidden" name="action" value="undo"><input type="hidden" name="ended" value="${ended ?? ''}"><input type="hidden" name="key" value="">
<button class="door-button">${t`Undo`}</button></form>`

/** Gives the page its own idempotency key for the next press. Screens without scripts need such a key. */
const fillInKey = (frame: string) =>
  new Html(frame.replaceAll('name="key" value=""', `name="key" value="${randomUUID()}"`))

const showHead = (
  root: string,
  title: string,
  appearance: string,
) => html`<meta name="color-scheme" content="${appearance === 'dark' ? 'dark' : 'light'}">
<meta name="robots" content="noindex">
<title>${title}</title>
<link rel="icon" href="${formatAssetLink(root, 'icon.svg')}">
<link rel="stylesheet" href="${formatAssetLink(root, 'screen-all.css')}">`

/** Shows a screen page for unknown addresses and for failures. */
export function showScreenFailure(root: string, sentence: string): Html {
  const body = html`<main class="screen-failure"><p>${sentence}</p></main>`
  return htmlDocument(showHead(root, 'Berth', 'light'), body, {
    bodyClass: 'screen light',
    language: currentLanguage(),
  })
}
