// Mounts bull-board for the queues of a gateway, with an entry page of our own: the original one loads fonts from
// another host and has inline styles. The module is large, so it is loaded when an administrator opens the board.
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { createBullBoard } from '@bull-board/api'
import { BullMQAdapter } from '@bull-board/api/bullMQAdapter'
import type { UIConfig } from '@bull-board/api/typings/app'
import { KoaAdapter } from '@bull-board/koa'
import { QUEUES, type QueueName } from '../../../../shared/schemas/job.ts'
import { Html, html, htmlDocument } from '../../../http/html.ts'
import { toRefusal } from '../../../http/middleware/errors.ts'
import type { Middleware } from '../../../services/context.ts'
import { assetLink } from '../../kit/assets.ts'
import type { DashboardContext } from '../../kit/context.ts'
import { currentLanguage, formatMessage, t, tHtml } from '../../locales/translate.ts'
import { showLinkOrText } from '../../ui/parts.ts'
import { mayRetry, rights } from './rights.ts'

// Completed jobs cannot be retried, because a job that is delivered again only returns its receipt.
const optionsOf = (name: QueueName) => ({ allowRetries: mayRetry(name), allowCompletedRetries: false })

export type BullBoard = { plugin: Middleware; entryPage: typeof entryPage }

export function mountBullBoard({ services }: DashboardContext, address: string): BullBoard {
  const adapter = new KoaAdapter()
  adapter.setBasePath(address)
  createBullBoard({
    queues: QUEUES.map((name) => new BullMQAdapter(services.queues.queue(name), optionsOf(name))),
    serverAdapter: adapter,
    options: { handlerHooks: rights },
  })
  adapter.setErrorHandler((error) => {
    const refusal = toRefusal(error)
    return { status: 500, body: { error: formatMessage(refusal.detail) } }
  })
  return { plugin: adapter.registerPlugin(), entryPage }
}

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
function entryPage(base: string, root: string, config: UIConfig): Html {
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
