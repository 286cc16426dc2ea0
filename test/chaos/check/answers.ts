// Compares every answer with the database: an acknowledged write is there once, one that was refused or answered with 503
// is not, and each answer is about what its own write has done.
import { decisiveTry, type Try, verdictOf, type Write } from '../history.ts'
import { CREATED_BY_IMPORT } from '../load/importer.ts'
import { auditOf, type Facts, freedItsKey, wasCalledOff } from './facts.ts'

// An import whose readers were killed twice is given up, and nothing of it is done:
// see workers/jobs/imports/stage-import-file.ts.
const GIVEN_UP = /stopped responding/

export function checkAnswers(facts: Facts): void {
  for (const write of facts.history.writes) {
    if (write.tries.length === 0) continue
    checkOnce(facts, write)
    checkVerdict(facts, write)
    for (const each of write.tries) checkTry(facts, write, each)
  }
}

function checkOnce({ history, ...facts }: Facts, write: Write): void {
  // One attempt may leave several entries, as a swap does.
  const effects = new Set(auditOf({ history, ...facts }, write).map(({ attempt }) => attempt)).size
  if (effects > 1) history.find('a key with two effects', write, `done ${effects} times`)
  const rows = facts.marked.get(write.mark) ?? 0
  const rowsMax = write.request.file ? CREATED_BY_IMPORT : 1
  if (rows > rowsMax) history.find('a key with two effects', write, `there ${rows} times`)
  const accepted = facts.jobs.get(write.mark)?.filter((job) => !freedItsKey(job)).length ?? 0
  if (accepted > 1) history.find('a key with two effects', write, `accepted ${accepted} times`)
}

function checkVerdict(facts: Facts, write: Write): void {
  const { history } = facts
  const isThere = auditOf(facts, write).length > 0 || facts.marked.has(write.mark)
  const verdict = verdictOf(write)
  if (verdict === 'done' && write.request.wantsAsync) checkAccepted(facts, write)
  else if (verdict === 'done') checkEffect(facts, write, decisiveTry(write))
  if (verdict === 'refused' && isThere && !mayHaveEnded(write))
    history.find('refused and present', write, 'it is there')
  if (verdict === 'failed') checkFailure(facts, write, isThere)
  if (verdict === 'unknown')
    history.find('never resolved by its repeats', write, isThere ? 'it is there' : 'it is not there')
}

/** A clerk who gets no answer presses “End” again, and learns that something has changed meanwhile. */
const mayHaveEnded = ({ kind, tries }: Write) => kind === 'end at a door' && tries.length > 1

/** The answer tells of the row that was written; and what was not repeated was done by this very try. */
function checkEffect(facts: Facts, write: Write, decisive: Try | undefined): void {
  const { history } = facts
  const [row] = auditOf(facts, write)
  // Another clerk may have ended it just before, so a press changes nothing.
  if (!row && write.kind === 'end at a door') return
  if (!row) history.find('acknowledged and missing', write, 'not in the audit log')
  if (!row || !decisive) return
  if (decisive.id !== undefined && decisive.id !== String(row.resource_id))
    history.find('the answer of another write', write, `the audit log has ${row.resource_id}`)
  if (write.request.form || write.sharedRequestId) return
  const isOwn = row.request_id === decisive.requestId
  if (isOwn === (decisive.isReplay === true))
    history.find('the answer of another write', write, `it was done by ${row.request_id}`)
  if (write.request.file && facts.marked.get(write.mark) !== CREATED_BY_IMPORT)
    history.find('acknowledged and missing', write, `${facts.marked.get(write.mark)} of its users are there`)
}

function checkAccepted(facts: Facts, write: Write): void {
  const { history } = facts
  const id = decisiveTry(write)?.id
  const accepted = facts.jobs.get(write.mark) ?? []
  const first = accepted.find((each) => each.id === id)
  const job = first && freedItsKey(first) ? (accepted.find((each) => !freedItsKey(each)) ?? first) : first
  const isThere = auditOf(facts, write).length > 0
  if (!job) history.find('acknowledged and missing', write, `no accepted job ${id}`)
  else if (job.state === 'done' && isThere) checkResult(facts, write, job.outcome?.body ?? '{}')
  else if (job.state === 'done') history.find('acknowledged and missing', write, 'not in the audit log')
  else if (isThere) history.find('refused and present', write, `its job is ${job.state}`)
  else if (!GIVEN_UP.test(reasonOf(facts, job.request_id)))
    history.find('accepted and not done', write, `${job.state}: ${reasonOf(facts, job.request_id)}`)
}

function reasonOf({ failures }: Facts, requestId: string): string {
  return failures.get(requestId) ?? 'nothing is logged of it'
}

function checkResult({ history }: Facts, write: Write, body: string): void {
  const mismatch = write.mismatch?.(JSON.parse(body))
  if (mismatch) history.find('the answer of another write', write, mismatch)
}

/** Whatever became of the others: this one was said not to have happened. */
function checkTry(facts: Facts, write: Write, { status, requestId }: Try): void {
  if (status !== 503 || write.sharedRequestId) return
  const { history } = facts
  const isDone = auditOf(facts, write).some((row) => row.request_id === requestId)
  if (isDone) history.find('answered 503 and present', write, `done by ${requestId}`)
  else if (facts.jobs.get(write.mark)?.some((job) => job.request_id === requestId && !wasCalledOff(job)))
    history.find('answered 503 and present', write, `accepted by ${requestId}`)
}

function checkFailure(facts: Facts, write: Write, isThere: boolean): void {
  const { history } = facts
  if (isThere) history.find('refused and present', write, 'it is there, and was answered with a 500')
  const tried = write.tries.find(({ status }) => status >= 500 && status !== 503 && status !== 504)
  const reason = reasonOf(facts, tried?.requestId ?? '')
  if (write.request.file && GIVEN_UP.test(reason)) return
  history.find('an answer that is not documented, a 5xx other than 503 and 504', write, reason)
}
