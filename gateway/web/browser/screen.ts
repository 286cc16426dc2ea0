// The script of a screen at a door or in a lobby. The screen receives its content until the end of tomorrow.
// Without a connection, it continues by its own clock, but its buttons do not work.

type ScreenFrame = { from: string; html: string }
type Heartbeat = { nowMs: number; release: string }
type ScreenContent = Heartbeat & {
  version: string
  zone: string
  appearance: string
  language: string
  frames: ScreenFrame[]
}
/** The content that the browser stores, for a screen that is reloaded without a connection. */
type StoredContent = { content: ScreenContent; aheadMs: number }

const main = document.getElementById('screen') as HTMLElement
const notice = document.getElementById('notice') as HTMLElement
const clock = document.getElementById('clock') as HTMLElement
const undo = document.getElementById('undo') as HTMLFormElement | null
const { address = '', release, appearance, zone: ownZone = 'UTC' } = main.dataset
const { lang } = document.documentElement
const CONTENT_KEY = `berth-screen ${location.pathname}`
const RELOADED_KEY = 'berth-screen-reloaded'

const TICK_MS = 1_000
// How long the server may be silent. It sends a heartbeat every 25 seconds.
const SILENT_MS_MAX = 60_000
const RETRY_MS = { min: 1_000, max: 6_000 }
const NOTICE_MS = 8_000
// How long after a press the result must be shown.
const BUSY_MS_MAX = 3_000
// How long a question at the door stays open. It closes so that nobody answers a question put to somebody
// else.
const QUESTION_MS = 10_000
const RELOAD_EVERY_MS_MIN = 60_000
// How long a lobby screen shows a floor before it shows the next one.
const FLOOR_SHOWN_MS = appearance === 'e-ink' ? 300_000 : 15_000

document.body.classList.add('scripted')
let content: ScreenContent | undefined
/** How far the server's clock is ahead of this tablet's clock, which may be wrong. */
let aheadMs = Number(main.dataset['now']) - Date.now()
let lastHeardMs = Number(main.dataset['now'])
let openedAtMs = 0
let state: 'connecting' | 'connected' | 'lost' | 'off' = 'connecting'
let source: EventSource | undefined
let shownHtml = main.innerHTML
let noticeUntilMs = 0
let busyUntilMs = 0
let undoUntilMs = 0
let questionOpenedAtMs = 0

const formatTime = (ms: number) =>
  new Date(ms).toLocaleTimeString(lang === 'de' ? 'de-DE' : 'en-GB', {
    hour: '2-digit',
    minute: '2-digit',
    timeZone: content?.zone ?? ownZone,
  })

function connect() {
  source?.close()
  openedAtMs = Date.now()
  source = new EventSource(`${address}/feed?have=${encodeURIComponent(content?.version ?? '')}`)
  source.addEventListener('beat', ({ data }) => handleBeat(JSON.parse(data)))
  source.addEventListener('content', ({ data }) => {
    const found: ScreenContent = JSON.parse(data)
    if (found.appearance !== appearance || found.language !== lang) reload()
    content = found
    busyUntilMs = 0
    handleBeat(found)
  })
  source.addEventListener('off', switchOff)
  source.addEventListener('error', loseConnection)
}

function handleBeat(beat: Heartbeat) {
  if (beat.release !== release) reload()
  aheadMs = beat.nowMs - Date.now()
  lastHeardMs = beat.nowMs
  openedAtMs = Date.now()
  state = 'connected'
  if (content) storeContent({ content: { ...content, nowMs: lastHeardMs }, aheadMs })
  showContent()
}

/**
 * Reloads the page, but not too often: while a release is being rolled out, gateways of both versions respond in turn.
 */
function reload() {
  if (Date.now() - Number(sessionStorage.getItem(RELOADED_KEY)) < RELOAD_EVERY_MS_MIN) return
  sessionStorage.setItem(RELOADED_KEY, String(Date.now()))
  location.reload()
}

/** Reconnects after a random pause: when a gateway restarts, all its screens lose their connection at once,
 * but must not all reconnect at once. */
function loseConnection() {
  source?.close()
  source = undefined
  if (state === 'off') return
  if (!content) useStoredContent()
  state = 'lost'
  showContent()
  setTimeout(connectAgain, RETRY_MS.min + Math.random() * (RETRY_MS.max - RETRY_MS.min))
}

/** Finds out why the connection failed, because an event source does not report the reason. */
async function connectAgain() {
  if (source || state === 'off') return
  const answer = await fetch(address, { method: 'HEAD', cache: 'no-store' }).catch(() => undefined)
  // Switches the screen off only if Berth itself responds with 404. If no gateway runs, a proxy may respond,
  // but without a request id.
  if (answer?.status === 404 && answer.headers.has('X-Request-Id')) switchOff()
  else if (!source) connect()
}

function storeContent(kept: StoredContent) {
  try {
    localStorage.setItem(CONTENT_KEY, JSON.stringify(kept))
  } catch {
    // Storage may be unavailable. If so, a screen that is reloaded without a connection shows what its page
    // contains.
  }
}

function useStoredContent() {
  try {
    const kept: StoredContent = JSON.parse(localStorage.getItem(CONTENT_KEY) ?? '')
    content = kept.content
    aheadMs = kept.aheadMs
    lastHeardMs = kept.content.nowMs
  } catch {
    // Nothing is stored.
  }
}

function switchOff() {
  state = 'off'
  source?.close()
  localStorage.removeItem(CONTENT_KEY)
  main.textContent = main.dataset['off'] ?? ''
  main.className = 'screen-off'
  document.body.classList.add('off')
  writeText(notice, '')
}

/** Changes text only if it is different, because an e-ink display flickers on every write. */
function writeText(element: HTMLElement, text: string) {
  if (element.textContent !== text) element.textContent = text
}

function showContent() {
  if (state === 'off') return
  const now = Date.now() + aheadMs
  const frame = content?.frames.findLast(({ from }) => Date.parse(from) <= now)
  if (frame && frame.html !== shownHtml) {
    shownHtml = frame.html
    main.innerHTML = frame.html
  }
  showFloor(Math.floor(now / FLOOR_SHOWN_MS))
  if (undo) undo.hidden = state !== 'connected' || Date.now() > undoUntilMs
  const question = main.querySelector<HTMLDetailsElement>('details[open]')
  if (question && Date.now() - questionOpenedAtMs > QUESTION_MS) question.open = false
  writeText(clock, formatTime(now))
  for (const button of main.querySelectorAll('button'))
    button.disabled = state !== 'connected' || Date.now() < busyUntilMs
  if (state === 'lost')
    writeText(notice, (main.dataset['offline'] ?? '').replace('{time}', formatTime(lastHeardMs)))
  else if (Date.now() > noticeUntilMs) writeText(notice, '')
}

/** Shows one floor in full on a lobby screen, and marks it in the list of floors. */
function showFloor(turn: number) {
  const floors = main.querySelectorAll<HTMLElement>('.lobby-floor')
  const items = main.querySelectorAll('.lobby-floors li')
  const next = turn % floors.length
  if (items[next]?.classList.contains('shown')) return
  for (const [index, floor] of floors.entries()) floor.hidden = index !== next
  for (const [index, item] of items.entries()) item.classList.toggle('shown', index === next)
  // Scrolls to the floor, because a long list of floors is cut off.
  items[next]?.scrollIntoView({ block: 'nearest' })
}

async function submitPress(form: HTMLFormElement) {
  const fields = new URLSearchParams([...new FormData(form)].map(([name, value]) => [name, String(value)]))
  fields.set('key', createKey())
  busyUntilMs = Number.POSITIVE_INFINITY
  undoUntilMs = 0
  showContent()
  const headers = { Accept: 'application/json' }
  const answer = await fetch(address, { method: 'POST', headers, body: fields }).catch(() => undefined)
  busyUntilMs = answer?.ok ? Date.now() + BUSY_MS_MAX : 0
  if (!answer?.ok) {
    const refusal: { message?: string } | undefined = await answer?.json().catch(() => undefined)
    noticeUntilMs = Date.now() + NOTICE_MS
    writeText(notice, refusal?.message ?? main.dataset['failed'] ?? '')
  } else if (answer.status === 200) offerUndo(await answer.json().catch(() => ({})))
  showContent()
}

function offerUndo({ ended = '' }: { ended?: string }) {
  const field = undo?.elements.namedItem('ended')
  if (!(field instanceof HTMLInputElement)) return
  field.value = ended
  undoUntilMs = Date.now() + Number(undo?.dataset['seconds']) * 1_000
}

/** Returns a UUID. randomUUID() exists only on HTTPS pages. */
function createKey(): string {
  const bytes = [...crypto.getRandomValues(new Uint8Array(16))]
  const digits = bytes.map((byte) => byte.toString(16).padStart(2, '0')).join('')
  return digits.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
}

addEventListener('submit', (event) => {
  event.preventDefault()
  submitPress(event.target as HTMLFormElement)
})
// Listens in the capture phase, because this event does not bubble.
addEventListener('toggle', () => (questionOpenedAtMs = Date.now()), { capture: true })
addEventListener('offline', loseConnection)
addEventListener('online', connectAgain)
setInterval(() => {
  if (source && Date.now() - openedAtMs > SILENT_MS_MAX) loseConnection()
  showContent()
}, TICK_MS)
if (window.isSecureContext) {
  const scope = address.replace(/[^/]*$/, '')
  navigator.serviceWorker?.register(main.dataset['worker'] ?? '', { scope }).catch(() => undefined)
}
connect()
