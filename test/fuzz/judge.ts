// Compares the answer to a request with the general promises and the OpenAPI document.
import { expectDocumentedAt, expectProblem } from '../support/http/openapi.ts'
import type { Finding } from './findings.ts'
import type { WireRequest } from './requests/draft.ts'
import type { WireAnswer } from './wire/parse-answer.ts'
import type { Exchange } from './wire/sender.ts'

const INTERNAL_DETAIL_PATTERN =
  /node_modules|\bat \S+ \([^)]*:\d+|\.[jt]s:\d+|postgres:\/\/|redis:\/\/|violates .* constraint/
// These statuses mean that the request itself is fine. Nothing is broken in this run, so a repeat must succeed.
export const TRANSIENT_STATUSES = [503, 504]

export async function judge(url: string, request: WireRequest, exchange: Exchange): Promise<Finding[]> {
  const found = (promise: Finding['promise'], what: string): Finding[] => [{ promise, what, request }]
  if (exchange.kind === 'broken') return found('every answer is HTTP', exchange.reason)
  if (exchange.kind === 'silent')
    return found('every request is answered', `silent for ${exchange.waitedMs} ms`)
  // A server may close an incomplete request without an answer.
  if (exchange.kind === 'closed')
    return request.isWhole ? found('every request is answered', 'the connection was closed') : []
  const { answer } = exchange
  const told = `${answer.status} ${answer.text.slice(0, 300)}`
  if (TRANSIENT_STATUSES.includes(answer.status)) return found('no 503 that persists', told)
  if (answer.status >= 500) return found('no 5xx', told)
  if (answer.status >= 400 && INTERNAL_DETAIL_PATTERN.test(answer.text))
    return found('internals stay hidden', told)
  if (!answer.headers.get('X-Request-Id'))
    return found('every answer is as documented', `no X-Request-Id: ${told}`)
  try {
    await compareWithDocument(url, request, answer)
    return []
  } catch (error) {
    return found('every answer is as documented', error instanceof Error ? error.message : String(error))
  }
}

async function compareWithDocument(url: string, request: WireRequest, answer: WireAnswer): Promise<void> {
  const answered = {
    ...answer,
    get json(): unknown {
      return JSON.parse(answer.text)
    },
  }
  // If it is uncertain where a request ends, only the format of the error can be checked.
  const isKnown = request.isWhole && request.path.startsWith('/api/v1/')
  if (isKnown) await expectDocumentedAt(url, request.method, request.path, answered)
  else if (answer.status >= 400 && answer.text !== '' && !isPage(answer)) await expectProblem(url, answered)
}

const isPage = ({ headers }: WireAnswer) => /^text\/html/.test(headers.get('Content-Type') ?? '')
