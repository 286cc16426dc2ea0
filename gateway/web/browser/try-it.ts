// Sends an API request from this page as any program would: with the pasted token, and without the session's
// cookie. The token stays in its field and is sent only to the API.
import { type ApiRequest, addressOf, curlLine, type Parameter } from '../../api/openapi/curl-line.ts'
import { t } from './shared/translate.ts'

const SHOWN_MAX = 200_000
const panel = document.querySelector<HTMLElement>('[data-try]')
if (panel) begin(panel)

function begin(panel: HTMLElement) {
  const token = panel.querySelector('input[name="token"]') as HTMLInputElement
  const line = panel.querySelector('#try-line') as HTMLElement
  const button = panel.querySelector('[data-send]') as HTMLButtonElement
  const show = () => {
    line.textContent = curlLine(readRequest(panel), panel.dataset.base ?? '')
  }
  panel.querySelector('[data-sender]')?.removeAttribute('hidden')
  panel.addEventListener('input', show)
  button.addEventListener('click', () => send(panel, token.value.trim(), button))
  token.addEventListener('keydown', ({ key }) => key === 'Enter' && button.click())
  // Removes the token from pages that the browser caches for its Back button.
  addEventListener('pagehide', () => {
    token.value = ''
  })
  show()
}

type Filled = ApiRequest & { parameters: Array<Parameter & { file: File | undefined }> }

function readRequest(panel: HTMLElement): Filled {
  const { method = 'GET', path = '' } = panel.dataset
  const parameters = [...panel.querySelectorAll<HTMLElement>('[data-in]')].map((box) => {
    const control = box.querySelector('input, select') as HTMLInputElement
    const kind = box.dataset.in as Parameter['kind']
    const file = control.files?.[0]
    const value = kind === 'file' ? (file?.name ?? 'people.csv') : control.value
    return { kind, name: box.dataset.name ?? '', value, file }
  })
  const body = panel.querySelector<HTMLTextAreaElement>('[data-body] textarea')?.value
  return { method, path, parameters, body }
}

async function send(panel: HTMLElement, token: string, button: HTMLButtonElement) {
  const answer = panel.querySelector('[data-answer]') as HTMLElement
  if (button.hasAttribute('aria-busy')) return
  button.setAttribute('aria-busy', 'true')
  answer.hidden = false
  answer.replaceChildren(element('p', t`Waiting for the answer…`))
  const startedMs = performance.now()
  try {
    const request = readRequest(panel)
    const response = await fetch((panel.dataset.root ?? '') + addressOf(request), optionsOf(request, token))
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

function optionsOf({ method, body, parameters }: Filled, token: string): RequestInit {
  const headers = new Headers({ Authorization: `Bearer ${token}` })
  const options: RequestInit = {
    method,
    headers,
    credentials: 'omit',
    cache: 'no-store',
    referrerPolicy: 'no-referrer',
  }
  if (body !== undefined) {
    headers.set('Content-Type', 'application/json')
    return { ...options, body }
  }
  const form = new FormData()
  for (const { kind, name, value, file } of parameters) {
    if (kind === 'file') form.append(name, file ?? '')
    else if (kind === 'field' && value !== '') form.append(name, value)
  }
  return [...form.keys()].length > 0 ? { ...options, body: form } : options
}

async function describe(response: Response, content: Blob, tookMs: number) {
  const status = element('p', '')
  const words = `${response.status} ${response.statusText}`.trim()
  status.append(
    element('strong', words, `badge ${response.ok ? 'good' : 'bad'}`),
    ` ${t`in ${tookMs} ms, ${content.size} bytes`}`,
  )
  const headers = [...response.headers].map(([name, value]) => `${name}: ${value}`).join('\n')
  const details = element('details', '')
  details.append(element('summary', t`Headers`), block(headers))
  return [element('h3', t`Answer`), status, details, await showBody(response, content)]
}

async function showBody({ headers }: Response, content: Blob): Promise<HTMLElement> {
  const type = headers.get('Content-Type') ?? ''
  if (content.size === 0) return element('p', t`The body is empty.`, 'soft')
  if (!/json|^text\/|svg/.test(type)) return saveLink(headers.get('Content-Disposition') ?? '', content, type)
  const text = await content.slice(0, SHOWN_MAX).text()
  if (content.size > SHOWN_MAX) return block(`${text}\n…`)
  return block(/json/.test(type) ? indent(text) : text)
}

/** A link that saves the answer as a file. */
function saveLink(disposition: string, content: Blob, type: string): HTMLElement {
  const [, name = 'answer'] = /filename="?([^";]+)/.exec(disposition) ?? []
  const link = document.createElement('a')
  link.href = URL.createObjectURL(content)
  link.download = name
  link.textContent = t`Save ${name} (${type})`
  return link
}

function indent(json: string): string {
  try {
    return JSON.stringify(JSON.parse(json), null, 2)
  } catch {
    return json
  }
}

function block(text: string): HTMLElement {
  const shown = element('pre', text)
  shown.tabIndex = 0
  return shown
}

function element(name: string, text: string, className = ''): HTMLElement {
  const created = document.createElement(name)
  created.textContent = text
  created.className = className
  return created
}
