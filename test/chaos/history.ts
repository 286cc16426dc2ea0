// The history of a run: every write, every try of its client, and every answer.
import type { Finding } from '../harness/findings.ts'

export type Kind =
  | 'book'
  | 'compete'
  | 'move'
  | 'shift'
  | 'cancel'
  | 'cancel again'
  | 'book a blocked one'
  | 'meet'
  | 'meet in contended rooms'
  | 'rearrange'
  | 'answer an invitation'
  | 'set a state'
  | 'check in'
  | 'request'
  | 'decide'
  | 'reuse a key'
  | 'import'
  | 'import without waiting'
  | 'book together'
  | 'undo'
  | 'swap'
  | 'visitor'
  | 'book at a door'
  | 'end at a door'
  | 'be away'
  | 'come back'
  | 'lend'
  | 'end a loan'
  | 'borrow'
  | 'give back'
  | 'name a team day'
  | 'drop a team day'
  | 'set a day'
  | 'repeat'
  | 'change a series'
  | 'end a series'
  | 'edit a room with a calendar'

export type Request = {
  method: string
  path: string
  body?: unknown
  /** Set only for writes that are imports. */
  file?: { name: string; text: string }
  wantsAsync?: boolean
  /** Set instead of an API request for a form of the dashboard or, without a cookie, of a door screen. */
  form?: { fields: string; cookie?: string }
}

export type Conflict = { bookable_id: number; from: string; to: string | null }

/** A single request of a client. */
export type Try = {
  requestId: string
  sentMs: number
  /** Undefined while the answer is pending. */
  tookMs?: number
  /** 0 if no answer arrived. */
  status: number
  code?: string
  isReplay?: boolean
  /** The id of the row or accepted job in the answer. */
  id?: string
  conflict?: Conflict
  bodyHash?: string
}

/** A write of a client. Repeats are attempts of the same write, with the same idempotency key. */
export type Write = {
  mark: string
  kind: Kind
  token: number
  key: string
  request: Request
  /** A request id that several writes share, instead of one for each try. */
  sharedRequestId?: string
  /** The codes with which this write may be refused. */
  refusals: readonly string[]
  /** The number of rows that the write may name after its mark, if not one. */
  rowsMax?: number
  /** Whether the write must be refused. */
  isWrong?: boolean
  /** Whether claims of this kind are never released, so that a refusal proves that another claim exists. */
  isForGood?: boolean
  /** Returns the error in a 2xx answer to the write, if any. */
  mismatch?(data: unknown): string | undefined
  tries: Try[]
}

/**
 * The outcome as the client knows it: “done” and “refused” are final. “not executed” means that only 503s arrived,
 * “failed” means a 500, and “unknown” that a try may or may not have been executed.
 */
export type Verdict = 'done' | 'refused' | 'not executed' | 'failed' | 'unknown'

export function determineVerdict({ tries }: Pick<Write, 'tries'>): Verdict {
  const decisive = findDecisiveTry({ tries })
  if (decisive) return decisive.status < 300 ? 'done' : decisive.status < 500 ? 'refused' : 'failed'
  return tries.every(({ status }) => status === 503) ? 'not executed' : 'unknown'
}

/** Codes that no key keeps: the same write may succeed later. */
const PASSING_CODES = ['idempotency_key_in_use', 'import_running']

/** Whether an answer of this kind leaves open whether the write succeeds when it is repeated. */
export const isPassing = ({ status, code = '' }: Pick<Try, 'status' | 'code'>): boolean =>
  [0, 503, 504].includes(status) || PASSING_CODES.includes(code)

/** Returns the first attempt whose answer decides the write, or undefined while the write should be repeated. */
export function findDecisiveTry({ tries }: Pick<Write, 'tries'>): Try | undefined {
  return tries.find((each) => !isPassing(each))
}

function describeWrite({ kind, tries }: Write): string {
  const heard = tries.map(({ status, code, isReplay, id }) =>
    [status || 'no answer', code, isReplay ? 'replayed' : '', id ? `id ${id}` : ''].filter(Boolean).join(' '),
  )
  return `${kind}: ${heard.join(', then ')}`
}

/** Describes each way to break a promise; a run must find none of them. */
export const BROKEN_PROMISES = [
  'acknowledged and missing',
  'refused and present',
  'answered 503 and present',
  'double-booked',
  'a key with two effects',
  'an audit row without its write, or a write without its audit row',
  'an answer that is not documented, a 5xx other than 503 and 504',
  'never resolved by its repeats',
  'the answer of another write',
  'refused without a conflict',
  'a repeat with another answer than the first',
  'booked while blocked',
  'checked in after the release',
  'a request or offer that was decided twice, or keeps a place that is not its own',
  'offered to somebody who came later',
  'a place that is held forever, or free while somebody waits',
  'a change without its buildings',
  'a change that is never served',
  'a transaction that held back the change feed',
  'an undo or a swap that changed something else',
  'a person who is away twice or with a booking, or has two places on a day',
  'a desk that its owner does not lend and somebody else has',
  'a series of which only a part was changed',
  'a room and its calendar that do not say the same',
  'a change feed that tells something else than the listings',
  'accepted but not executed',
  'no answer within 10 s of a worker’s kill',
  'not recovered after the faults',
] as const
export type BrokenPromise = (typeof BROKEN_PROMISES)[number]

export class History {
  readonly writes: Write[] = []
  readonly findings: Array<Finding<BrokenPromise>> = []
  readonly waiting = new Set<Try>()
  /** The number of writes that were done or refused. */
  decided = 0

  begin(write: Omit<Write, 'tries'>): Write {
    const begun = { ...write, tries: [] }
    this.writes.push(begun)
    return begun
  }

  find(promise: BrokenPromise, write: Write | undefined, what: string): void {
    this.findings.push({ promise, what, about: write ? [`${write.mark}, ${describeWrite(write)}`] : [] })
  }
}
