// A screen at a door or in a lobby. It gets all that it shows until tomorrow ends, and goes on by its own clock when it has
// no connection. Buttons work only with one.

type Frame = { from: string; html: string }
type Beat = { nowMs: number; release: string }
type Content = Beat & { version: string; zone: string; appearance: string; language: string; frames: Frame[] }
/** What is kept in the browser, for a screen that is reloaded without a connection. */
type Kept = { content: Content; aheadMs: number }

const main = document.getElementById('screen') as HTMLElement
const notice = document.getElementById('notice') as HTMLElement
const clock = document.getElementById('clock') as HTMLElement
const undo = document.getElementById('undo') as HTMLFormElement | null
const { address = '', release, appearance, zone: ownZone = 'UTC' } = main.dataset
const { lang } = document.documentElement
const KEPT = `berth-screen ${location.pathname}`
const RELOADED = 'berth-screen-reloaded'

const TICK_MS = 1_000
// The server sends a heartbeat every 25 seconds.
const SILENT_MS_MAX = 60_000
const RETRY_MS = { min: 1_000, max: 6_000 }
const NOTICE_MS = 8_000
// What somebody has done is shown within this time.
const BUSY_MS_MAX = 3_000
// A question at the door closes after this time, so that nobody answers the question of the person before them.
const ASKED_MS = 10_000
const RELOAD_EVERY_MS_MIN = 60_000
// How long a lobby shows a floor before it turns to the next.
const FLOOR_MS = appearance === 'e-ink' ? 300_000 : 15_000

document.body.classList.add('scripted')
let content: Content | undefined
/** The server's clock is right; that of a tablet may not be. */
let aheadMs = Number(main.dataset['now']) - Date.now()
let asOfMs = Number(main.dataset['now'])
let openedAtMs = 0
let state: 'connecting' | 'connected' | 'lost' | 'off' = 'connecting'
let source: EventSource | undefined
let shown = main.innerHTML
let noticeUntilMs = 0
let busyUntilMs = 0
let undoUntilMs = 0
let askedAtMs = 0

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
  source.addEventListener('beat', ({ data }) => hear(JSON.parse(data)))
  source.addEventListener('content', ({ data }) => {
    const found: Content = JSON.parse(data)
    if (found.appearance !== appearance || found.language !== lang) reload()
    content = found
    busyUntilMs = 0
    hear(found)
  })
  source.addEventListener('off', switchOff)
  source.addEventListener('error', loseConnection)
}

function hear(beat: Beat) {
  if (beat.release !== release) reload()
  aheadMs = beat.nowMs - Date.now()
  asOfMs = beat.nowMs
  openedAtMs = Date.now()
  state = 'connected'
  if (content) keep({ content: { ...content, nowMs: asOfMs }, aheadMs })
  show()
}

/** While a release is rolled out, gateways of both versions answer in turn. */
function reload() {
  if (Date.now() - Number(sessionStorage.getItem(RELOADED)) < RELOAD_EVERY_MS_MIN) return
  sessionStorage.setItem(RELOADED, String(Date.now()))
  location.reload()
}

/** All screens lose a gateway that restarts at the same moment, and must not come back at the same moment. */
function loseConnection() {
  source?.close()
  source = undefined
  if (state === 'off') return
  if (!content) useKept()
  state = 'lost'
  show()
  setTimeout(connectAgain, RETRY_MS.min + Math.random() * (RETRY_MS.max - RETRY_MS.min))
}

/** An event source does not say why it failed. */
async function connectAgain() {
  if (source || state === 'off') return
  const answer = await fetch(address, { method: 'HEAD', cache: 'no-store' }).catch(() => undefined)
  // A proxy without a gateway behind it may answer too, but without a request id.
  if (answer?.status === 404 && answer.headers.has('X-Request-Id')) switchOff()
  else if (!source) connect()
}

function keep(kept: Kept) {
  try {
    localStorage.setItem(KEPT, JSON.stringify(kept))
  } catch {
    // Without storage, a screen that is reloaded without a connection shows what its page says.
  }
}

function useKept() {
  try {
    const kept: Kept = JSON.parse(localStorage.getItem(KEPT) ?? '')
    content = kept.content
    aheadMs = kept.aheadMs
    asOfMs = kept.content.nowMs
  } catch {
    // There is none.
  }
}

function switchOff() {
  state = 'off'
  source?.close()
  localStorage.removeItem(KEPT)
  main.textContent = main.dataset['off'] ?? ''
  main.className = 'screen-off'
  document.body.classList.add('off')
  write(notice, '')
}

/** An e-ink display flickers when something is written, even if it is the same. */
function write(element: HTMLElement, text: string) {
  if (element.textContent !== text) element.textContent = text
}

function show() {
  if (state === 'off') return
  const now = Date.now() + aheadMs
  const frame = content?.frames.findLast(({ from }) => Date.parse(from) <= now)
  if (frame && frame.html !== shown) {
    shown = frame.html
    main.innerHTML = frame.html
  }
  showFloor(Math.floor(now / FLOOR_MS))
  if (undo) undo.hidden = state !== 'connected' || Date.now() > undoUntilMs
  const question = main.querySelector<HTMLDetailsElement>('details[open]')
  if (question && Date.now() - askedAtMs > ASKED_MS) question.open = false
  write(clock, formatTime(now))
  for (const button of main.querySelectorAll('button'))
    button.disabled = state !== 'connected' || Date.now() < busyUntilMs
  if (state === 'lost') write(notice, (main.dataset['offline'] ?? '').replace('{time}', formatTime(asOfMs)))
  else if (Date.now() > noticeUntilMs) write(notice, '')
}

/** For a lobby: shows one floor in full, and marks it in the list. */
function showFloor(turn: number) {
  const floors = main.querySelectorAll<HTMLElement>('.lobby-floor')
  const items = main.querySelectorAll('.lobby-floors li')
  const next = turn % floors.length
  if (items[next]?.classList.contains('shown')) return
  for (const [index, floor] of floors.entries()) floor.hidden = index !== next
  for (const [index, item] of items.entries()) item.classList.toggle('shown', index === next)
  // The list is cut off in a building with many floors.
  items[next]?.scrollIntoView({ block: 'nearest' })
}

async function press(form: HTMLFormElement) {
  const fields = new URLSearchParams([...new FormData(form)].map(([name, value]) => [name, String(value)]))
  fields.set('key', createKey())
  busyUntilMs = Number.POSITIVE_INFINITY
  undoUntilMs = 0
  show()
  const headers = { Accept: 'application/json' }
  const answer = await fetch(address, { method: 'POST', headers, body: fields }).catch(() => undefined)
  busyUntilMs = answer?.ok ? Date.now() + BUSY_MS_MAX : 0
  if (!answer?.ok) {
    const refusal: { message?: string } | undefined = await answer?.json().catch(() => undefined)
    noticeUntilMs = Date.now() + NOTICE_MS
    write(notice, refusal?.message ?? main.dataset['failed'] ?? '')
  } else if (answer.status === 200) offerUndo(await answer.json().catch(() => ({})))
  show()
}

function offerUndo({ ended = '' }: { ended?: string }) {
  const field = undo?.elements.namedItem('ended')
  if (!(field instanceof HTMLInputElement)) return
  field.value = ended
  undoUntilMs = Date.now() + Number(undo?.dataset['seconds']) * 1_000
}

/** A UUID; randomUUID() exists only on pages that come over TLS. */
function createKey(): string {
  const bytes = [...crypto.getRandomValues(new Uint8Array(16))]
  const digits = bytes.map((byte) => byte.toString(16).padStart(2, '0')).join('')
  return digits.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
}

addEventListener('submit', (event) => {
  event.preventDefault()
  press(event.target as HTMLFormElement)
})
// The event does not bubble.
addEventListener('toggle', () => (askedAtMs = Date.now()), { capture: true })
addEventListener('offline', loseConnection)
addEventListener('online', connectAgain)
setInterval(() => {
  if (source && Date.now() - openedAtMs > SILENT_MS_MAX) loseConnection()
  show()
}, TICK_MS)
if (window.isSecureContext) {
  const scope = address.replace(/[^/]*$/, '')
  navigator.serviceWorker?.register(main.dataset['worker'] ?? '', { scope }).catch(() => undefined)
}
connect()
