// The page that runs bull-board's client. Its original page loads fonts from another host and has inline
// styles.
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import type { UIConfig } from '@bull-board/api/typings/app'
import { Html, html, htmlDocument } from '../../../http/html.ts'
import { assetLink } from '../../kit/assets.ts'
import { currentLanguage, t, tHtml } from '../../locales/translate.ts'
import { showLinkOrText } from '../../ui/links.ts'

const require = createRequire(import.meta.url)
/** The folder of the files that bull-board serves. */
const uiDirectory = join(dirname(require.resolve('@bull-board/ui/package.json')), 'dist')

// The names contain hashes, which change with the version.
const template = readFileSync(join(uiDirectory, 'index.ejs'), 'utf8')
const styles = [...template.matchAll(/href="(static\/css\/[^"]+)"/g)].map(([, address]) => address)
const scripts = [...template.matchAll(/src="(static\/js\/[^"]+)"/g)].map(([, address]) => address)
if (styles.length === 0 || scripts.length === 0)
  throw new Error('No styles or scripts found in bull-board’s index.ejs')

/** `base` is the address of the board, `root` that of the service. */
export function entryPage(base: string, root: string, config: UIConfig): Html {
  // The content security policy does not treat data as a script. It must not be able to end its element.
  const settings = new Html(JSON.stringify(config).replace(/</g, '\\u003c'))
  const head = html`<meta name="robots" content="noindex">
<base href="${base}/">
<title>${t`Queue board`} · Berth</title>
<link rel="icon" id="fav-logo" href="${assetLink(root, 'icon.svg')}">
${styles.map((address) => html`<link rel="stylesheet" href="${address}">`)}
<link rel="stylesheet" href="${assetLink(root, 'queue-board.css')}">`
  const body = html`<script id="__UI_CONFIG__" type="application/json">${settings}</script>
<div id="root"><p class="waiting-for-board">${t`Loading…`}</p></div>
<noscript><p class="waiting-for-board">${tHtml`The queue board needs JavaScript. ${showLinkOrText(`${root}/dashboard/queue-health`, t`Queue health`)} works without it.`}</p></noscript>
${scripts.map((address) => html`<script defer src="${address}"></script>`)}`
  return htmlDocument(head, body, { language: currentLanguage() })
}
