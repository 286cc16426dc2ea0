// Compares every answer with the database: an acknowledged write exists once, a write that was refused or answered with
// 503 does not exist, and each answer is about the right write.
import { determineVerdict, findDecisiveTry, type Try, type Write } from '../history.ts'
import { USERS_CREATED_PER_IMPORT } from '../load/importer.ts'
import { type Facts, findAuditRows, hasFreedKey, wasCalledOff } from './facts.ts'

// An import whose readers were killed twice fails without any effect: see
// workers/jobs/imports/stage-import-file.ts.
const READER_GIVEN_UP_MESSAGE = /stopped responding/

export function checkAnswers(facts: Facts): void {
  for (const write of facts.history.writes) {
    if (write.tries.length === 0) continue
    checkExecutedOnce(facts, write)
    checkVerdict(facts, write)
    for (const each of write.tries) checkTry(facts, write, each)
  }
}

function checkExecutedOnce({ history, ...facts }: Facts, write: Write): void {
  // One attempt may leave several audit entries, for example a swap.
  const effects = new Set(findAuditRows({ history, ...facts }, write).map(({ attempt }) => attempt)).size
  if (effects > 1) history.find('a key with two effects', write, `done ${effects} times`)
  const rows = facts.marked.get(write.mark) ?? 0
  const rowsMax = write.request.file ? USERS_CREATED_PER_IMPORT : (write.rowsMax ?? 1)
  if (rows > rowsMax) history.find('a key with two effects', write, `there ${rows} times`)
  const accepted = facts.jobs.get(write.mark)?.filter((job) => !hasFreedKey(job)).length ?? 0
  if (accepted > 1) history.find('a key with two effects', write, `accepted ${accepted} times`)
}

function checkVerdict(facts: Facts, write: Write): void {
  const { history } = facts
  const isThere = findAuditRows(facts, write).length > 0 || facts.marked.has(write.mark)
  const verdict = determineVerdict(write)
  if (verdict === 'done' && write.request.wantsAsync) checkAccepted(facts, write)
  else if (verdict === 'done') checkEffect(facts, write, findDecisiveTry(write))
  if (verdict === 'refused' && isThere && !mayHaveEnded(write))
    history.find('refused and present', write, 'it is there')
  if (verdict === 'failed') checkFailure(facts, write, isThere)
  if (verdict === 'unknown')
    history.find('never resolved by its repeats', write, isThere ? 'it is there' : 'it is not there')
}

/** A clerk who gets no response presses “End” again, and may then learn that something has changed. */
const mayHaveEnded = ({ kind, tries }: Write) => kind === 'end at a door' && tries.length > 1

/**
 * Whether a write may find nothing left to change: another clerk may have ended the booking just before, or the calendar may have
 * cancelled the meeting or moved it to the same time.
 */
const mayChangeNothing = ({ kind, request }: Write) =>
  kind === 'end at a door' || (kind === 'edit a room with a calendar' && request.method !== 'POST')

/**
 * The answer must describe the row that was written; a write without a repeat must have the request id of its only try.
 */
function checkEffect(facts: Facts, write: Write, decisive: Try | undefined): void {
  const { history } = facts
  const rows = findAuditRows(facts, write)
  const [row] = rows
  if (!row && mayChangeNothing(write)) return
  if (!row) history.find('acknowledged and missing', write, 'not in the audit log')
  if (!row || !decisive) return
  // A write about several rows answers with one of them.
  const ids = rows.map(({ resource_id }) => String(resource_id))
  if (decisive.id !== undefined && !ids.includes(decisive.id))
    history.find('the answer of another write', write, `the audit log has ${ids}`)
  if (write.request.form || write.sharedRequestId) return
  const isOwn = row.request_id === decisive.requestId
  if (isOwn === (decisive.isReplay === true))
    history.find('the answer of another write', write, `it was done by ${row.request_id}`)
  if (write.request.file && facts.marked.get(write.mark) !== USERS_CREATED_PER_IMPORT)
    history.find('acknowledged and missing', write, `${facts.marked.get(write.mark)} of its users are there`)
}

function checkAccepted(facts: Facts, write: Write): void {
  const { history } = facts
  const id = findDecisiveTry(write)?.id
  const accepted = facts.jobs.get(write.mark) ?? []
  const first = accepted.find((each) => each.id === id)
  const job = first && hasFreedKey(first) ? (accepted.find((each) => !hasFreedKey(each)) ?? first) : first
  const isThere = findAuditRows(facts, write).length > 0
  if (!job) history.find('acknowledged and missing', write, `no accepted job ${id}`)
  else if (job.state === 'done' && isThere) checkResult(facts, write, job.outcome?.body ?? '{}')
  else if (job.state === 'done') history.find('acknowledged and missing', write, 'not in the audit log')
  else if (isThere) history.find('refused and present', write, `its job is ${job.state}`)
  else if (!READER_GIVEN_UP_MESSAGE.test(findFailureReason(facts, job.request_id)))
    history.find(
      'accepted but not executed',
      write,
      `${job.state}: ${findFailureReason(facts, job.request_id)}`,
    )
}

function findFailureReason({ failures }: Facts, requestId: string): string {
  return failures.get(requestId) ?? 'nothing is logged of it'
}

function checkResult({ history }: Facts, write: Write, body: string): void {
  const mismatch = write.mismatch?.(JSON.parse(body))
  if (mismatch) history.find('the answer of another write', write, mismatch)
}

/** Checks a single attempt whose answer says that nothing was executed. Other attempts of the same write do
 * not matter. */
function checkTry(facts: Facts, write: Write, { status, code, requestId }: Try): void {
  if ((status !== 503 && code !== 'import_running') || write.sharedRequestId) return
  const { history } = facts
  const isDone = findAuditRows(facts, write).some((row) => row.request_id === requestId)
  if (isDone && status !== 503) history.find('refused and present', write, `done by ${requestId}`)
  else if (isDone) history.find('answered 503 and present', write, `done by ${requestId}`)
  else if (facts.jobs.get(write.mark)?.some((job) => job.request_id === requestId && !wasCalledOff(job)))
    history.find('answered 503 and present', write, `accepted by ${requestId}`)
}

function checkFailure(facts: Facts, write: Write, isThere: boolean): void {
  const { history } = facts
  if (isThere) history.find('refused and present', write, 'it is there, and was answered with a 500')
  const tried = write.tries.find(({ status }) => status >= 500 && status !== 503 && status !== 504)
  const reason = findFailureReason(facts, tried?.requestId ?? '')
  if (write.request.file && READER_GIVEN_UP_MESSAGE.test(reason)) return
  history.find('an answer that is not documented, a 5xx other than 503 and 504', write, reason)
}
