// Sends an API request from this page as any other program would: with the token that the user pasted, and
// without the session's cookie. The token stays in its field and is sent only to the API.
import './every-script.ts'
import {
  type ApiRequest,
  formatCurlCommand,
  formatPathWithQuery,
  type Parameter,
} from '../../api/openapi/curl-line.ts'
import { t } from './shared/translate.ts'

const SHOWN_CHARACTERS_MAX = 200_000
const panel = document.querySelector<HTMLElement>('[data-try]')
if (panel) startTryIt(panel)

function startTryIt(panel: HTMLElement) {
  const token = panel.querySelector('input[name="token"]') as HTMLInputElement
  const line = panel.querySelector('#try-line') as HTMLElement
  const button = panel.querySelector('[data-send]') as HTMLButtonElement
  const show = () => {
    line.textContent = formatCurlCommand(readRequest(panel), panel.dataset.base ?? '')
  }
  panel.querySelector('[data-sender]')?.removeAttribute('hidden')
  panel.addEventListener('input', show)
  button.addEventListener('click', () => sendRequest(panel, token.value.trim(), button))
  token.addEventListener('keydown', ({ key }) => key === 'Enter' && button.click())
  // Removes the token from pages that the browser caches for its Back button.
  addEventListener('pagehide', () => {
    token.value = ''
  })
  show()
}

type FilledRequest = ApiRequest & { parameters: Array<Parameter & { file: File | undefined }> }

function readRequest(panel: HTMLElement): FilledRequest {
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

async function sendRequest(panel: HTMLElement, token: string, button: HTMLButtonElement) {
  const answer = panel.querySelector('[data-answer]') as HTMLElement
  if (button.hasAttribute('aria-busy')) return
  button.setAttribute('aria-busy', 'true')
  answer.hidden = false
  answer.replaceChildren(element('p', t`Waiting for the answer…`))
  const startedMs = performance.now()
  try {
    const request = readRequest(panel)
    const response = await fetch(
      (panel.dataset.root ?? '') + formatPathWithQuery(request),
      toRequestOptions(request, token),
    )
    const content = await response.blob()
    const tookMs = Math.round(performance.now() - startedMs)
    answer.replaceChildren(...(await describeResponse(response, content, tookMs)))
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    answer.replaceChildren(element('p', t`No answer: ${reason}.`, 'notice bad'))
  } finally {
    button.removeAttribute('aria-busy')
  }
}

function toRequestOptions({ method, body, parameters }: FilledRequest, token: string): RequestInit {
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

async function describeResponse(response: Response, content: Blob, tookMs: number) {
  const status = element('p', '')
  const words = `${response.status} ${response.statusText}`.trim()
  status.append(
    element('strong', words, `badge ${response.ok ? 'good' : 'bad'}`),
    ` ${t`in ${tookMs} ms, ${content.size} bytes`}`,
  )
  const headers = [...response.headers].map(([name, value]) => `${name}: ${value}`).join('\n')
  const details = element('details', '')
  details.append(element('summary', t`Headers`), createBlock(headers))
  return [element('h3', t`Answer`), status, details, await showBody(response, content)]
}

async function showBody({ headers }: Response, content: Blob): Promise<HTMLElement> {
  const type = headers.get('Content-Type') ?? ''
  if (content.size === 0) return element('p', t`The body is empty.`, 'soft')
  if (!/json|^text\/|svg/.test(type))
    return createSaveLink(headers.get('Content-Disposition') ?? '', content, type)
  const text = await content.slice(0, SHOWN_CHARACTERS_MAX).text()
  if (content.size > SHOWN_CHARACTERS_MAX) return createBlock(`${text}\n…`)
  return createBlock(/json/.test(type) ? indentJson(text) : text)
}

/** Creates a link that saves the response as a file. */
function createSaveLink(disposition: string, content: Blob, type: string): HTMLElement {
  const [, name = 'answer'] = /filename="?([^";]+)/.exec(disposition) ?? []
  const link = document.createElement('a')
  link.href = URL.createObjectURL(content)
  link.download = name
  link.textContent = t`Save ${name} (${type})`
  return link
}

function indentJson(json: string): string {
  try {
    return JSON.stringify(JSON.parse(json), null, 2)
  } catch {
    return json
  }
}

function createBlock(text: string): HTMLElement {
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
