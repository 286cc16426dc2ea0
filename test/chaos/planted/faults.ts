// Planted faults, which each break a promise of Berth, and the scenes that reveal them. Faults in code replace lines in
// a copy of dist/; faults in the database are SQL.
import { setTimeout as wait } from 'node:timers/promises'
import type { Knex } from 'knex'
import { replaceInCode } from '../../harness/built-copy.ts'
import type { Settings } from '../run.ts'
import { PLANTED_CALENDAR_FAULTS } from './calendar-faults.ts'
import type { PlantedInScene } from './plant.ts'
import {
  delayAbandonedJobs,
  killWorkerAfterImportCommit,
  loseAcceptedJobs,
  repeatBothTries,
  simulateClusterMove,
} from './scenes.ts'

const KILL_BEFORE_REPLY_FAULT = 'a worker is killed after its commit, before its reply'
const KILL_BEFORE_COMMIT_FAULT = 'a worker is killed before its commit'
const LOST_CONNECTION_FAULT = 'a connection is lost before its commit'
const LOST_ACCEPTANCE_FAULT = 'the answer to an accepted job is lost'
const LATE_WRITES_FAULT = 'writes run after every deadline'
const SILENT_POSTGRES_FAULT = 'the workers’ Postgres is silent past every deadline'
// Long enough for another worker to take over.
const TAKE_OVER_MS = 6_000

// A scene without faults needs many writes to reveal the planted fault.
const CALM_SCENE = { faults: [], workers: 1, gateways: 1, writes: 150 } satisfies Partial<Settings>
// A scene with few desks, many waiting people, and hardly any other clients.
const waiting = {
  faults: [],
  clients: 2,
  kinds: ['book'],
  waiters: 12,
  writes: 1,
} satisfies Partial<Settings>
const SCENE_MS = 20_000
// A scene with people who plan their weeks, and hardly any other clients.
const PLANNED_SCENE = {
  ...CALM_SCENE,
  clients: 2,
  kinds: ['book'],
  planners: 6,
  scene: () => wait(SCENE_MS),
} satisfies Partial<Settings>
const WRONG_DAY_PROMISE = 'a person who is away twice or with a booking, or has two places on a day'
// The fault skips some people for longer than this time.
const LONG_SCENE_MS = 45_000

// Deletes receipts at the end of the transaction; until then, the receipts look correct.
function forgetReceipts(database: Knex, event: string, condition: string) {
  return database.raw(`
    CREATE FUNCTION forget_receipt() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN DELETE FROM receipts WHERE attempt = NEW.attempt; RETURN NULL; END $$;
    CREATE CONSTRAINT TRIGGER forget_receipt AFTER ${event} ON receipts DEFERRABLE INITIALLY DEFERRED
      FOR EACH ROW WHEN (${condition}) EXECUTE FUNCTION forget_receipt()`)
}

export const PLANTED_FAULTS: PlantedInScene[] = [
  {
    name: 'an absence that keeps the bookings of its days',
    patches: [
      replaceInCode(
        'workers/jobs/absences/absences.js',
        'const released = release_bookings',
        'const released = false',
      ),
    ],
    shows: [WRONG_DAY_PROMISE],
    scene: PLANNED_SCENE,
  },
  {
    name: 'a day that keeps the desk that it had before',
    patches: [
      replaceInCode(
        'workers/jobs/bookings/work-days.js',
        'await clearDays(write, user_id, days)',
        'await undefined',
      ),
    ],
    shows: [WRONG_DAY_PROMISE],
    scene: PLANNED_SCENE,
  },
  {
    name: 'a lent desk that is taken back from somebody',
    patches: [
      replaceInCode(
        'workers/jobs/loans/loans.js',
        'await refuseIfBookedByOthers(write, loan_id)',
        'await undefined',
      ),
    ],
    shows: ['a desk that its owner does not lend and somebody else has'],
    scene: PLANNED_SCENE,
  },
  {
    name: 'a change of a series that leaves some of its bookings',
    patches: [
      replaceInCode(
        'workers/jobs/bookings/series.js',
        'await findAffectedIds(write, { ...change, scope })',
        '(await findAffectedIds(write, { ...change, scope })).filter((each) => each % 2 === 0 || each === change.id)',
      ),
    ],
    shows: ['a series of which only a part was changed'],
    scene: PLANNED_SCENE,
  },
  {
    name: 'a team day without its audit entry',
    patches: [
      replaceInCode(
        'workers/jobs/groups/team-days.js',
        "await write.audit({ action: 'team_days.create', id: created.id, after: created.row })",
        'await undefined',
      ),
    ],
    shows: ['acknowledged and missing'],
    scene: PLANNED_SCENE,
  },
  {
    name: 'an undo of every write with the same request id',
    patches: [
      replaceInCode(
        'shared/undo/one-write.js',
        'WHERE attempt = asked.attempt',
        'WHERE (at, request_id, actor_type, actor_name) = (asked.at, asked.request_id, asked.actor_type, asked.actor_name)',
      ),
    ],
    shows: ['an undo or a swap that changed something else'],
    scene: { ...CALM_SCENE, clerks: 4, kinds: ['book'], scene: () => wait(SCENE_MS) },
  },
  {
    name: 'a pass of offers in one long transaction',
    patches: [
      replaceInCode(
        'workers/pollers/holds/offering.js',
        'await offerOnFloor(database, location, isStopping)',
        'await database.transaction((trx) => offerOnFloor(trx, location, isStopping))',
      ),
      replaceInCode(
        'workers/pollers/holds/offering.js',
        'const outcome = await offerToPerson(floor, waiting)',
        'const outcome = await offerToPerson(floor, waiting); await new Promise((resume) => setTimeout(resume, 2000))',
      ),
    ],
    shows: ['a transaction that held back the change feed'],
    scene: { ...waiting, scene: () => wait(SCENE_MS) },
  },
  {
    name: 'no exclusion constraint',
    // A constraint of the same name that never fails, because ON CONFLICT names it.
    sabotage: (database) =>
      database.raw(`
        ALTER TABLE bookings DROP CONSTRAINT bookings__no_overlap;
        ALTER TABLE bookings ADD CONSTRAINT bookings__no_overlap
          EXCLUDE USING gist (id WITH =, during WITH &&) WHERE (exclusive)`),
    shows: ['double-booked'],
    scene: { ...CALM_SCENE, kinds: ['compete'] },
  },
  {
    name: 'requests that are decided without a lock',
    patches: [
      replaceInCode('workers/jobs/claims/holds.js', 'AND kind = ? FOR UPDATE', 'AND kind = ?'),
      replaceInCode('workers/jobs/claims/holds.js', "AND state = 'pending'\n     RETURNING", 'RETURNING'),
    ],
    shows: ['a request or offer that was decided twice, or keeps a place that is not its own'],
    scene: { faults: [], workers: 3, gateways: 2, writes: 600, kinds: ['request', 'decide'] },
  },
  {
    name: 'a waitlist without an order',
    patches: [
      replaceInCode(
        'workers/pollers/holds/waiting-line.js',
        'FROM first ORDER BY first.id',
        'FROM first ORDER BY first.id DESC',
      ),
    ],
    shows: ['offered to somebody who came later'],
    scene: { ...waiting, scene: () => wait(LONG_SCENE_MS) },
  },
  {
    name: 'an offer that its wait misses when the worker dies',
    patches: [
      replaceInCode(
        'workers/pollers/holds/offering.js',
        'createHold(write,',
        'createHold({ ...write, ...openWrite(database, createAuthor()) },',
      ),
      replaceInCode(
        'workers/pollers/holds/offering.js',
        'if (holdId === undefined)',
        "if (Math.random() < 0.3) throw new Error('The worker dies'); if (holdId === undefined)",
      ),
    ],
    shows: ['a request or offer that was decided twice, or keeps a place that is not its own'],
    scene: { ...waiting, scene: () => wait(SCENE_MS) },
  },
  {
    name: 'an offer that lapses without its wait',
    patches: [
      replaceInCode(
        'workers/jobs/claims/holds.js',
        'if (offers.length === 0)',
        "if (offers.length === 0 || state === 'lapsed')",
      ),
    ],
    shows: ['a request or offer that was decided twice, or keeps a place that is not its own'],
    scene: { ...waiting, scene: () => wait(SCENE_MS) },
  },
  {
    name: 'an offer that never lapses',
    patches: [
      replaceInCode(
        'workers/pollers/holds/lapsing.js',
        "WHERE state = 'pending' AND",
        "WHERE state = 'pending' AND kind = 'request' AND",
      ),
    ],
    shows: ['a place that is held forever, or free while somebody waits'],
    scene: { ...waiting, scene: () => wait(SCENE_MS) },
  },
  {
    name: 'no receipt of an executed write',
    sabotage: (database) => forgetReceipts(database, 'UPDATE', 'NEW.outcome IS NOT NULL'),
    shows: ['the answer of another write', 'answered 503 and present'],
    scene: { waitMs: TAKE_OVER_MS, faults: [KILL_BEFORE_REPLY_FAULT, KILL_BEFORE_REPLY_FAULT] },
  },
  {
    name: 'no mark of an abandoned write',
    sabotage: (database) => forgetReceipts(database, 'INSERT', 'NEW.abandoned_at IS NOT NULL'),
    shows: ['answered 503 and present'],
    scene: { faults: ['receipts are inserted past their deadline'], leavesShare: 1 },
  },
  {
    name: 'a batch that ignores called-off writes',
    // Drops a constraint that would prevent the sabotaged code from storing an outcome.
    sabotage: (database) =>
      database.raw('ALTER TABLE receipts DROP CONSTRAINT receipts__abandoned_without_outcome'),
    patches: [
      replaceInCode('workers/runtime/perform.js', "receipt?.state !== 'ours'", "receipt?.state === 'done'"),
    ],
    shows: ['answered 503 and present'],
    scene: { faults: ['receipts are inserted past their deadline'], leavesShare: 1 },
  },
  {
    name: 'a batch that answers writes it could not commit',
    patches: [
      replaceInCode(
        'workers/runtime/connection.js',
        'await Promise.all([connection.query(end), ...lastStatements])',
        'await Promise.all([connection.query(end).catch(() => ({ command: end }))])',
      ),
    ],
    shows: ['acknowledged and missing', 'the answer of another write'],
    scene: { waitMs: TAKE_OVER_MS, kinds: ['book'], faults: [LOST_CONNECTION_FAULT, LOST_CONNECTION_FAULT] },
  },
  {
    name: 'a batch that mixes up its answers',
    patches: [
      replaceInCode(
        'workers/jobs/bookings/insert-bookings.js',
        'kept[ordinal - 1]?.booking',
        'kept[ordinal % kept.length]?.booking',
      ),
    ],
    shows: ['the answer of another write', 'acknowledged and missing'],
    scene: { ...CALM_SCENE, kinds: ['book'], clients: 24, writes: 400 },
  },
  {
    name: 'a batch of check-ins that mixes up its answers',
    patches: [
      replaceInCode(
        'workers/jobs/bookings/bookings.js',
        'shown.set(id, text)',
        'shown.set(id, shown.last ?? text), shown.last = text',
      ),
    ],
    shows: ['the answer of another write'],
    scene: { ...CALM_SCENE, kinds: ['check in'], clients: 24, writes: 400 },
  },
  {
    name: 'a batch of changes that mixes up its answers',
    patches: [
      replaceInCode(
        'workers/jobs/bookings/save-bookings.js',
        'kept[index]?.change',
        'kept[(index + 1) % kept.length]?.change',
      ),
    ],
    shows: ['the answer of another write'],
    scene: { ...CALM_SCENE, kinds: ['move'], clients: 24, writes: 400 },
  },
  {
    name: 'a batch of events that mixes up its answers',
    patches: [
      replaceInCode(
        'workers/jobs/events/record-events.js',
        'SELECT text FROM written ORDER BY ordinal',
        'SELECT text FROM written ORDER BY ordinal DESC',
      ),
    ],
    shows: ['the answer of another write'],
    scene: { ...CALM_SCENE, kinds: ['meet'], clients: 24, writes: 400 },
  },
  {
    name: 'a batch of events that ignores taken rooms',
    patches: [
      replaceInCode(
        'workers/jobs/events/rooms.js',
        'claims.filter((claim) => !claimed.has(',
        'claims.filter((claim) => claimed.has(claim) && (',
      ),
    ],
    shows: ['the answer of another write'],
    scene: { ...CALM_SCENE, kinds: ['meet in contended rooms'], clients: 24 },
  },
  {
    name: 'a batch that records other changes than it makes',
    patches: [
      replaceInCode(
        'workers/jobs/bookings/record-bookings.js',
        'changed.map(({ values }) => values[column])',
        'changed.map((_, index) => changed[(index + 1) % changed.length].values[column])',
      ),
    ],
    shows: ['the answer of another write'],
    scene: { ...CALM_SCENE, kinds: ['move'], clients: 24, writes: 400 },
  },
  {
    name: 'a batch of deletions that executes only the first',
    patches: [
      replaceInCode(
        'workers/jobs/bookings/bookings.js',
        '(await deleteBookings(connection, bookings)).map',
        '(await deleteBookings(connection, bookings.slice(0, 1)), bookings).map',
      ),
    ],
    shows: ['acknowledged and missing', 'an audit row without its write, or a write without its audit row'],
    scene: { ...CALM_SCENE, kinds: ['cancel'], clients: 24, writes: 400 },
  },
  {
    name: 'a 503 without an abandoned mark',
    patches: [replaceInCode('gateway/queue/call-off.js', 'receipts.abandon(', 'receipts.find(')],
    shows: ['answered 503 and present'],
    scene: { faults: [SILENT_POSTGRES_FAULT], leavesShare: 1 },
  },
  {
    name: 'no deadline',
    patches: [replaceInCode('workers/runtime/attempts.js', 'if (lateMs <= 0)', 'if (lateMs <= Infinity)')],
    shows: ['answered 503 and present'],
    scene: { faults: [], gateways: 1, leavesShare: 1, scene: delayAbandonedJobs },
  },
  {
    name: 'the reply before the commit',
    patches: [
      replaceInCode(
        'workers/delivery/shared-transactions.js',
        'performTogether(tools.database, envelopes,',
        `performTogether(
          tools.database,
          envelopes.map((each) => Object.assign(each, {
            early: (outcome) => sendReply(tools.redis, [{ envelope: each, outcome }], tools.log),
          })),`,
      ),
      replaceInCode(
        'workers/delivery/shared-transactions.js',
        'export class SharedTransactions',
        'const { sendReply } = await import(`../runtime/replies.js`); export class SharedTransactions',
      ),
      replaceInCode(
        'workers/runtime/perform.js',
        'last(() => Promise.all([storeDecisions(',
        '{ for (const [each, { outcome }] of done) each.early?.(outcome) } last(() => Promise.all([storeDecisions(',
      ),
    ],
    shows: ['the answer of another write', 'acknowledged and missing'],
    scene: {
      waitMs: TAKE_OVER_MS,
      kinds: ['book'],
      faults: [KILL_BEFORE_COMMIT_FAULT, KILL_BEFORE_COMMIT_FAULT],
    },
  },
  {
    name: 'one outcome stored for two attempts',
    patches: [
      replaceInCode(
        'workers/runtime/receipts.js',
        'decisions.map(({ outcome }) => JSON.stringify(outcome))',
        'decisions.map(({ outcome }) => { const text = globalThis.stored ?? JSON.stringify(outcome); globalThis.stored = JSON.stringify(outcome); return text })',
      ),
    ],
    shows: ['the answer of another write'],
    scene: {
      waitMs: TAKE_OVER_MS,
      kinds: ['book'],
      faults: [KILL_BEFORE_REPLY_FAULT, KILL_BEFORE_REPLY_FAULT],
    },
  },
  {
    name: 'the reply of another attempt',
    patches: [
      replaceInCode(
        'workers/runtime/replies.js',
        'const { attempt, replyTo } = envelope;',
        'const { attempt, replyTo } = envelope; [outcome, globalThis.sent] = [globalThis.sent ?? outcome, outcome];',
      ),
      replaceInCode(
        'workers/runtime/replies.js',
        'for (const { envelope, outcome } of',
        'for (let { envelope, outcome } of',
      ),
    ],
    shows: ['the answer of another write'],
    scene: { ...CALM_SCENE, kinds: ['book'] },
  },
  {
    name: 'a key that is forgotten at once',
    patches: [
      replaceInCode('workers/runtime/idempotency-keys.js', 'idempotency && isOutcomeSaved(outcome)', 'false'),
    ],
    shows: ['a repeat with another answer than the first'],
    scene: CALM_SCENE,
  },
  {
    name: 'a key that is not held while its write runs',
    patches: [
      replaceInCode(
        'workers/runtime/idempotency-keys.js',
        'const isLocked = locks.rows[index]?.got === true && ',
        'const isLocked = ',
      ),
    ],
    shows: ['a key with two effects'],
    scene: { faults: [], gateways: 1, kinds: ['set a state'], waitMs: TAKE_OVER_MS, scene: repeatBothTries },
  },
  {
    name: 'a key that is everybody’s',
    patches: [
      replaceInCode(
        'gateway/server/http/middleware/idempotency.js',
        'const scope = formatScope(',
        "const scope = true ? 'everybody' : scopeOf(",
      ),
    ],
    shows: ['refused without a conflict', 'the answer of another write'],
    scene: CALM_SCENE,
  },
  {
    name: 'a key bound to the spelling of the path',
    patches: [
      replaceInCode(
        'gateway/server/http/middleware/idempotency.js',
        'const scope = formatScope(',
        "const scope = [requireToken(ctx).id, ctx.method, ctx.path].join(' ') || scopeOf(",
      ),
    ],
    shows: ['a repeat with another answer than the first', 'a key with two effects'],
    scene: { ...CALM_SCENE, kinds: ['book', 'set a state'] },
  },
  {
    name: 'a key that accepts another request',
    patches: [replaceInCode('workers/runtime/idempotency-keys.js', 'if (!row.same)', 'if (false)')],
    shows: ['an answer that is not documented, a 5xx other than 503 and 504'],
    scene: { ...CALM_SCENE, kinds: ['book', 'reuse a key'] },
  },
  {
    name: 'a retry as another attempt, without the key',
    patches: [
      replaceInCode(
        'gateway/queue/dispatch.js',
        'outcome ?? (await callOffAttempt(this.#parts, { queue, queueName, envelope, declinedJob }))',
        'outcome ?? await this.dispatch(name, input, { ...origin, idempotency: null })',
      ),
    ],
    shows: ['a key with two effects', 'refused without a conflict'],
    scene: { faults: [SILENT_POSTGRES_FAULT], kinds: ['book', 'set a state'] },
  },
  {
    name: 'a refusal that does not roll back',
    patches: [
      replaceInCode(
        'workers/runtime/perform.js',
        'trx.transaction((savepoint) => handler(openWrite(savepoint, context), envelope.input))',
        'handler(openWrite(trx, context), envelope.input)',
      ),
      replaceInCode('workers/jobs/events/save-events.js', 'ROLLBACK TO SAVEPOINT saved', 'SELECT 1'),
    ],
    shows: ['refused and present'],
    scene: { ...CALM_SCENE, kinds: ['meet in contended rooms'] },
  },
  {
    name: 'an audit row in a separate transaction',
    patches: [
      replaceInCode(
        'shared/audit/audit.js',
        'return insertAuditEntries(trx, author,',
        'return insertAuditEntries(author.database, author,',
      ),
    ],
    shows: ['an audit row without its write, or a write without its audit row'],
    scene: {
      waitMs: TAKE_OVER_MS,
      kinds: ['set a state'],
      faults: [KILL_BEFORE_COMMIT_FAULT, KILL_BEFORE_COMMIT_FAULT],
    },
  },
  {
    name: 'a change without a lock',
    patches: [replaceInCode('workers/jobs/rows/rows.js', "'FOR NO KEY UPDATE'", "''")],
    shows: ['an audit row without its write, or a write without its audit row'],
    scene: { ...CALM_SCENE, kinds: ['set a state'] },
  },
  {
    name: 'a booking that reads the state without a lock',
    patches: [replaceInCode('workers/jobs/claims/facts.js', 'FOR SHARE', '')],
    shows: ['booked while blocked'],
    scene: { ...CALM_SCENE, kinds: ['set a state', 'book a blocked one'], clients: 24, writes: 400 },
  },
  {
    name: 'a check-in that ignores a release',
    patches: [replaceInCode('workers/jobs/rules/check-in-windows.js', 'if (isReleased)', 'if (false)')],
    shows: ['checked in after the release'],
    // Workers look for bookings to release every four seconds, and give a running check-in two more seconds.
    scene: {
      faults: [LATE_WRITES_FAULT, LATE_WRITES_FAULT, LATE_WRITES_FAULT, LATE_WRITES_FAULT],
      kinds: ['check in'],
      waitMs: 12_000,
    },
  },
  {
    name: 'a deletion without its buildings',
    patches: [
      replaceInCode(
        'shared/changes/buildings.js',
        'UNION SELECT unnest(',
        "UNION SELECT unnest('{}'::bigint[]) FROM unnest(",
      ),
    ],
    shows: ['a change without its buildings'],
    scene: { ...CALM_SCENE, kinds: ['book', 'cancel', 'meet', 'rearrange'] },
  },
  {
    name: 'an outbox that ignores a move to another cluster',
    patches: [replaceInCode('shared/changes/cluster.js', 'if (!found.isMoved)', 'if (found)')],
    shows: ['a change that is never served'],
    scene: { ...CALM_SCENE, kinds: ['book'], scene: simulateClusterMove },
  },
  {
    name: 'an import that is applied again when it is taken over',
    // The fault shows only while the file exists. Without the file, the second run fails and changes nothing.
    patches: [
      replaceInCode(
        'gateway/api/rest/users/users-routes.js',
        'if (!call.wantsAsync || answer.replayed)',
        'if (false)',
      ),
      replaceInCode(
        'workers/runtime/perform.js',
        "if (decided?.by === 'receipt')",
        "if (decided?.by === 'receipt' && !('dry_run' in envelope.input))",
      ),
      replaceInCode(
        'workers/runtime/perform.js',
        'const outcome = decided?.outcome ??',
        "const outcome = ('dry_run' in envelope.input ? undefined : decided?.outcome) ??",
      ),
    ],
    shows: ['a key with two effects'],
    scene: { faults: [], kinds: ['book'], importers: 1, scene: killWorkerAfterImportCommit },
  },
  {
    name: 'an accepted job whose caller gets a 503',
    patches: [
      replaceInCode(
        'gateway/queue/dispatch.js',
        'const stored = await findAcceptedOutcome(pool, attempt)',
        'const stored = await Promise.resolve(undefined)',
      ),
      replaceInCode('gateway/queue/call-off.js', 'receipts.abandon(', 'receipts.find('),
    ],
    shows: ['answered 503 and present'],
    scene: {
      faults: [LOST_ACCEPTANCE_FAULT, LOST_ACCEPTANCE_FAULT],
      gateways: 1,
      importers: 4,
      kinds: ['book'],
    },
  },
  {
    name: 'an accepted job that is not queued again',
    patches: [
      replaceInCode(
        'workers/pollers/upkeep.js',
        'await requeueAcceptedJobs(database, identity.database, queueOf, log);',
        'return;',
      ),
    ],
    shows: ['accepted but not executed'],
    scene: { faults: [], kinds: ['book'], importers: 2, settledMsMax: 5_000, scene: loseAcceptedJobs },
  },
  ...PLANTED_CALENDAR_FAULTS,
]
