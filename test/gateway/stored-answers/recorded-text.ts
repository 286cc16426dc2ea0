// Formats recorded answers: one line with the request and its outcome, followed by everything that does not
// follow from that line. Nothing is lost: equal texts mean answers that are equal to the byte.
import type { RecordedAnswer } from './recorder.ts'

// Headers that each answer has, unless its entry shows another value.
const USUAL_HEADERS: Record<string, string> = {
  'content-security-policy':
    "default-src 'none'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'content-type': 'application/json; charset=utf-8',
  ratelimit: 'default;r=N;t=N',
  'ratelimit-policy': 'default;q=600;w=60',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-request-id': 'stored-answers',
}
const CACHEABLE_HEADERS = { 'cache-control': 'private, no-cache' }
const UNCACHEABLE_HEADERS = { 'cache-control': 'no-store' }

export const formatRecorded = (recorded: RecordedAnswer[]): string =>
  `${recorded.map(formatEntry).join('\n')}\n`

/** Splits a stored file into its entries. */
export const parseStoredMessage = (text: string): string[] => text.trimEnd().split(/\n(?! )/)

function formatEntry({ request, status, headers, body }: RecordedAnswer): string {
  const problem = formatProblem(status, headers, body)
  const outcome = problem?.line ?? String(status)
  const rest = problem ? problem.rest : body
  return [
    `${request} -> ${outcome}`,
    ...formatHeaders(request, status, headers),
    ...(rest ? [rest] : []),
  ].join('\n  ')
}

function formatHeaders(request: string, status: number, headers: Record<string, string>): string[] {
  const isRead = /^(GET|HEAD) /.test(request) && status < 400
  const usual: Record<string, string> = {
    ...USUAL_HEADERS,
    ...(isRead ? CACHEABLE_HEADERS : UNCACHEABLE_HEADERS),
  }
  if (status >= 400) usual.vary = 'Accept'
  const missing = Object.keys(usual).filter((name) => headers[name] === undefined)
  const other = Object.entries(headers).filter(([name, value]) => usual[name] !== value)
  return [
    ...(missing.length > 0 ? [`without ${missing.join(', ')}`] : []),
    ...other.map(([name, value]) => `${name}: ${value}`),
  ]
}

/** Formats a refusal in one line, if its other members follow from its code, its detail and its request id.
 * `rest` contains additional members. / */
function formatProblem(status: number, headers: Record<string, string>, body: string) {
  if (status < 400 || !body.startsWith('{')) return undefined
  const { type, title, status: _status, code, detail, message, request_id, ...others } = JSON.parse(body)
  const rest = Object.keys(others).length > 0 ? JSON.stringify(others) : ''
  const expected = {
    type: `https://desk.example.com/api/docs/errors#${code}`,
    title,
    status,
    code,
    detail,
    message: detail,
    ...others,
    request_id: headers['x-request-id'],
  }
  return JSON.stringify(expected) === body
    ? { line: `${status} ${code} (${title}): ${detail}`, rest }
    : undefined
}
