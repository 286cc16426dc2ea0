// A screen at a door or in a lobby. It gets all that it shows until tomorrow ends, and goes on by its own clock when it has
// no connection. Buttons work only with one.

type Content = {
  version: string
  zone: string
  appearance: string
  language: string
  frames: Array<{ from: string; html: string }>
}
type Told = { nowMs: number; release: string }

const main = document.getElementById('screen') as HTMLElement
const notice = document.getElementById('notice') as HTMLElement
const clock = document.getElementById('clock') as HTMLElement
const { address = '', release, appearance } = main.dataset
const STORED = `berth-screen ${location.pathname}`

const TICK_MS = 1_000
// Something comes at least every 25 seconds.
const SILENT_MS_MAX = 60_000
const RETRY_MS = { min: 1_000, max: 6_000 }
const NOTICE_MS = 8_000

let content: Content | undefined = readStored()
/** The server's clock is right; that of a tablet may not be. */
let aheadMs = Number(main.dataset['now']) - Date.now()
let heardAtMs = 0
let isConnected = false
let isOff = false
let source: EventSource | undefined
let shown = main.innerHTML
let noticeUntilMs = 0

const nowMs = () => Date.now() + aheadMs
const clockFormat = () =>
  new Intl.DateTimeFormat(document.documentElement.lang === 'de' ? 'de-DE' : 'en-GB', {
    hour: '2-digit',
    minute: '2-digit',
    timeZone: content?.zone ?? main.dataset['zone'] ?? 'UTC',
  })

function readStored(): Content | undefined {
  try {
    return JSON.parse(localStorage.getItem(STORED) ?? '') as Content
  } catch {
    return undefined
  }
}

function store(found: Content) {
  try {
    localStorage.setItem(STORED, JSON.stringify(found))
  } catch {
    // Without storage, a screen that is reloaded without a connection shows what its page says.
  }
}

function connect() {
  source?.close()
  heardAtMs = Date.now()
  // Without what it has, a page that has just been loaded gets it.
  source = new EventSource(`${address}/feed?have=${encodeURIComponent(content?.version ?? '')}`)
  source.addEventListener('beat', ({ data }) => hear(JSON.parse(data)))
  source.addEventListener('content', ({ data }) => {
    const told = JSON.parse(data) as Told & Content
    content = told
    store(told)
    hear(told)
  })
  source.addEventListener('off', switchOff)
  source.addEventListener('error', loseConnection)
}

function hear(told: Told) {
  if (told.release !== release || (content && 'nowMs' in content && content.appearance !== appearance))
    return location.reload()
  aheadMs = told.nowMs - Date.now()
  heardAtMs = Date.now()
  isConnected = true
  show()
}

/** All screens lose a gateway that restarts at the same moment, and must not come back at the same moment. */
function loseConnection() {
  source?.close()
  source = undefined
  isConnected = false
  show()
  if (isOff) return
  setTimeout(connectAgain, RETRY_MS.min + Math.random() * (RETRY_MS.max - RETRY_MS.min))
}

/** An event source does not say why it failed. */
async function connectAgain() {
  if (source) return
  const answer = await fetch(address, { method: 'HEAD', cache: 'no-store' }).catch(() => undefined)
  if (answer?.status === 404 && answer.headers.has('X-Request-Id')) return switchOff()
  connect()
}

function switchOff() {
  isOff = true
  source?.close()
  localStorage.removeItem(STORED)
  main.textContent = main.dataset['off'] ?? ''
  main.className = 'screen-off'
  document.body.classList.add('off')
}

function show() {
  if (isOff) return
  const at = nowMs()
  const frame = content?.frames.findLast(({ from }) => Date.parse(from) <= at)
  if (frame && frame.html !== shown) {
    shown = frame.html
    main.innerHTML = frame.html
  }
  clock.textContent = clockFormat().format(at)
  document.body.classList.toggle('offline', !isConnected)
  for (const button of main.querySelectorAll('button')) button.disabled = !isConnected
  if (!isConnected && heardAtMs > 0)
    notice.textContent = (main.dataset['offline'] ?? '').replace(
      '{time}',
      clockFormat().format(heardAtMs + aheadMs),
    )
  else if (Date.now() > noticeUntilMs) notice.textContent = ''
}

function say(text: string) {
  noticeUntilMs = Date.now() + NOTICE_MS
  notice.textContent = text
}

async function press(form: HTMLFormElement) {
  const fields = new URLSearchParams(new FormData(form) as unknown as Record<string, string>)
  fields.set('key', createKey())
  for (const button of main.querySelectorAll('button')) button.disabled = true
  const answer = await fetch(address, {
    method: 'POST',
    headers: { Accept: 'application/json' },
    body: fields,
  }).catch(() => undefined)
  const failed = main.dataset['failed'] ?? ''
  if (!answer?.ok)
    say(
      ((await answer?.json().catch(() => undefined)) as { message?: string } | undefined)?.message ?? failed,
    )
  show()
}

/** A UUID. randomUUID() exists only on pages that come over TLS. */
function createKey(): string {
  const hex = [...crypto.getRandomValues(new Uint8Array(16))]
    .map((byte) => byte.toString(16).padStart(2, '0'))
    .join('')
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
}

addEventListener('submit', (event) => {
  event.preventDefault()
  press(event.target as HTMLFormElement)
})
addEventListener('offline', loseConnection)
addEventListener('online', connectAgain)
setInterval(() => {
  if (source && Date.now() - heardAtMs > SILENT_MS_MAX) loseConnection()
  show()
}, TICK_MS)
if (window.isSecureContext)
  navigator.serviceWorker
    ?.register(main.dataset['worker'] ?? '', { scope: '../screens/' })
    .catch(() => undefined)
connect()
