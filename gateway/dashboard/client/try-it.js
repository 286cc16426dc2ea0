// @ts-check
// Sends an API request from this page as any program would: with the pasted token, and without the session's
// cookie. The token stays in its field and is sent only to the API.
import { t } from './translate.js'

const SHOWN_MAX = 200_000
const panel = /** @type {HTMLElement | null} */ (document.querySelector('[data-try]'))
if (panel) begin(panel)

/** @param {HTMLElement} panel */
function begin(panel) {
  const token = /** @type {HTMLInputElement} */ (panel.querySelector('input[name="token"]'))
  const line = /** @type {HTMLElement} */ (panel.querySelector('#try-line'))
  const button = /** @type {HTMLButtonElement} */ (panel.querySelector('[data-send]'))
  const show = () => {
    line.textContent = curlOf(readRequest(panel))
  }
  panel.querySelector('[data-sender]')?.removeAttribute('hidden')
  panel.addEventListener('input', show)
  button.addEventListener('click', () => send(panel, token.value.trim(), button))
  token.addEventListener('keydown', (event) => {
    if (event.key === 'Enter') send(panel, token.value.trim(), button)
  })
  // Removes the token from pages that the browser caches for its Back button.
  addEventListener('pagehide', () => {
    token.value = ''
  })
  show()
}

/**
 * @typedef {{ name: string, value: string, file?: File }} Part
 * @typedef {{ method: string, path: string, address: string, base: string, body?: string, parts: Part[] }} ApiRequest
 * @param {HTMLElement} panel
 * @returns {ApiRequest}
 */
function readRequest(panel) {
  const { method = 'GET', path = '', root = '', base = '' } = panel.dataset
  /** @param {string} place */
  const filled = (place) => partsOf(panel, place).filter(({ value }) => value !== '')
  const full = filled('path').reduce(
    (text, { name, value }) => text.replace(`{${name}}`, encodeURIComponent(value)),
    path,
  )
  const query = new URLSearchParams(filled('query').map(({ name, value }) => [name, value])).toString()
  const whole = full + (query ? `?${query}` : '')
  const body = /** @type {HTMLTextAreaElement | null} */ (panel.querySelector('[data-body] textarea'))?.value
  return {
    method,
    path: whole,
    address: root + whole,
    base,
    ...(body === undefined ? {} : { body }),
    parts: [...filled('field'), ...partsOf(panel, 'file')],
  }
}

/**
 * @param {HTMLElement} panel
 * @param {string} place
 * @returns {Part[]}
 */
function partsOf(panel, place) {
  return [...panel.querySelectorAll(`[data-in="${place}"]`)].map((box) => {
    const control = /** @type {HTMLInputElement} */ (box.querySelector('input, select'))
    const file = control.files?.[0]
    return { name: box.getAttribute('data-name') ?? '', value: control.value, ...(file ? { file } : {}) }
  })
}

/**
 * @param {ApiRequest} request
 * @returns {string}
 */
function curlOf({ method, path, base, body, parts }) {
  /** @param {string} text */
  const quote = (text) => `'${text.replaceAll("'", "'\\''")}'`
  const forms = parts.map(({ name, value, file }) =>
    panel?.querySelector(`[data-in="file"][data-name="${CSS.escape(name)}"]`)
      ? `-F ${quote(`${name}=@${file?.name ?? 'people.csv'}`)}`
      : `-F ${quote(`${name}=${value}`)}`,
  )
  return [
    `curl${method === 'GET' ? '' : ` -X ${method}`} -H "Authorization: Bearer $TOKEN"`,
    ...(body === undefined ? [] : [`-H 'Content-Type: application/json' -d ${quote(body)}`]),
    ...forms,
    quote(base + path),
  ].join(' \\\n  ')
}

/**
 * @param {HTMLElement} panel
 * @param {string} token
 * @param {HTMLButtonElement} button
 */
async function send(panel, token, button) {
  const answer = /** @type {HTMLElement} */ (panel.querySelector('[data-answer]'))
  if (button.hasAttribute('aria-busy')) return
  button.setAttribute('aria-busy', 'true')
  answer.hidden = false
  answer.replaceChildren(element('p', t`Waiting for the answer…`))
  const startedMs = performance.now()
  try {
    const request = readRequest(panel)
    const response = await fetch(request.address, optionsOf(request, token))
    const content = await response.blob()
    const tookMs = Math.round(performance.now() - startedMs)
    answer.replaceChildren(...(await describe(response, content, tookMs)))
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    answer.replaceChildren(element('p', t`No answer: ${reason}.`, 'notice bad'))
  } finally {
    button.removeAttribute('aria-busy')
  }
}

/**
 * @param {ApiRequest} request
 * @param {string} token
 * @returns {RequestInit}
 */
function optionsOf({ method, body, parts }, token) {
  const headers = new Headers({ Authorization: `Bearer ${token}` })
  /** @type {RequestInit} */
  const options = { method, headers, credentials: 'omit', cache: 'no-store', referrerPolicy: 'no-referrer' }
  if (body !== undefined) {
    headers.set('Content-Type', 'application/json')
    return { ...options, body }
  }
  if (parts.length === 0) return options
  const form = new FormData()
  for (const { name, value, file } of parts) form.append(name, file ?? value)
  return { ...options, body: form }
}

/**
 * @param {Response} response
 * @param {Blob} content
 * @param {number} tookMs
 */
async function describe(response, content, tookMs) {
  const heading = element('h3', t`Answer`)
  const status = element('p', '')
  const tone = response.ok ? 'good' : 'bad'
  const words = `${response.status} ${response.statusText}`.trim()
  status.append(element('strong', words, `badge ${tone}`), ` ${t`in ${tookMs} ms, ${content.size} bytes`}`)
  const headers = [...response.headers].map(([name, value]) => `${name}: ${value}`).join('\n')
  const details = element('details', '')
  details.append(element('summary', t`Headers`), block(headers))
  return [heading, status, details, await body(response, content)]
}

/**
 * @param {Response} response
 * @param {Blob} content
 */
async function body(response, content) {
  const type = response.headers.get('Content-Type') ?? ''
  if (content.size === 0) return element('p', t`The body is empty.`, 'soft')
  if (!/json|^text\/|svg/.test(type)) return link(response, content, type)
  const text = await content.slice(0, SHOWN_MAX).text()
  if (content.size > SHOWN_MAX) return block(`${text}\n…`)
  return block(/json/.test(type) ? pretty(text) : text)
}

/**
 * A link that saves the answer as a file.
 * @param {Response} response
 * @param {Blob} content
 * @param {string} type
 */
function link(response, content, type) {
  const save = document.createElement('a')
  const [, name = 'answer'] =
    /filename="?([^";]+)/.exec(response.headers.get('Content-Disposition') ?? '') ?? []
  save.href = URL.createObjectURL(content)
  save.download = name
  save.textContent = t`Save ${name} (${type})`
  return save
}

/** @param {string} text */
function pretty(text) {
  try {
    return JSON.stringify(JSON.parse(text), null, 2)
  } catch {
    return text
  }
}

/** @param {string} text */
function block(text) {
  const shown = element('pre', text)
  shown.tabIndex = 0
  return shown
}

/**
 * @param {string} name
 * @param {string} text
 * @param {string} [className]
 */
function element(name, text, className) {
  const created = document.createElement(name)
  created.textContent = text
  if (className) created.className = className
  return created
}
