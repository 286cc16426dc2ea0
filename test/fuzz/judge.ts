// Compares the outcome of a request with the general promises, and with the OpenAPI document.
import { expectDocumentedAt, expectProblem } from '../support/http/openapi.ts'
import type { Finding } from './findings.ts'
import type { WireRequest } from './requests/draft.ts'
import type { WireAnswer } from './wire/parse-answer.ts'
import type { Exchange } from './wire/sender.ts'

const INSIDE = /node_modules|\bat \S+ \([^)]*:\d+|\.[jt]s:\d+|postgres:\/\/|redis:\/\/|violates .* constraint/
// These are said when nothing is wrong with the request; nothing was broken, so they must pass.
export const PASSING = [503, 504]

export async function judge(url: string, request: WireRequest, exchange: Exchange): Promise<Finding[]> {
  const found = (promise: Finding['promise'], what: string): Finding[] => [{ promise, what, request }]
  if (exchange.kind === 'broken') return found('every answer is HTTP', exchange.reason)
  if (exchange.kind === 'silent')
    return found('every request is answered', `silent for ${exchange.waitedMs} ms`)
  // Half a request may be left without a word.
  if (exchange.kind === 'closed')
    return request.isWhole ? found('every request is answered', 'the connection was closed') : []
  const { answer } = exchange
  const told = `${answer.status} ${answer.text.slice(0, 300)}`
  if (PASSING.includes(answer.status)) return found('no 503 that stays', told)
  if (answer.status >= 500) return found('no 5xx', told)
  if (answer.status >= 400 && INSIDE.test(answer.text)) return found('nothing of the inside is told', told)
  if (!answer.headers.get('X-Request-Id'))
    return found('every answer is as documented', `no X-Request-Id: ${told}`)
  try {
    await holdAgainstDocument(url, request, answer)
    return []
  } catch (error) {
    return found('every answer is as documented', error instanceof Error ? error.message : String(error))
  }
}

async function holdAgainstDocument(url: string, request: WireRequest, answer: WireAnswer): Promise<void> {
  const answered = {
    ...answer,
    get json(): unknown {
      return JSON.parse(answer.text)
    },
  }
  // Of a request without a certain end only the shape of its failure can be known.
  const isKnown = request.isWhole && request.path.startsWith('/api/v1/')
  if (isKnown) await expectDocumentedAt(url, request.method, request.path, answered)
  else if (answer.status >= 400 && answer.text !== '' && !isPage(answer)) await expectProblem(url, answered)
}

const isPage = ({ headers }: WireAnswer) => /^text\/html/.test(headers.get('Content-Type') ?? '')
