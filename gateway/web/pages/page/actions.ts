// Performs the action of a form exactly once: reads the form, validates it against its schema, and runs the action. If
// the form is refused, the page shows it again with the values that the user typed.
import { randomUUID } from 'node:crypto'
import * as yup from 'yup'
import type { AcceptedJobReply } from '../../../../shared/jobs/accepted-jobs.ts'
import { type Actor, type JobName, jobs } from '../../../../shared/jobs/jobs.ts'
import { message } from '../../../../shared/messages/message.ts'
import { Refusal, type RefusalCode } from '../../../../shared/messages/refusal.ts'
import { formatInstant } from '../../../../shared/utilities/date-times.ts'
import { createOutcomeUnknownRefusal } from '../../../queue/call-off.ts'
import { requireReply } from '../../../queue/replies.ts'
import { toRefusal } from '../../../server/http/middleware/errors.ts'
import { computeFingerprint, formatScope } from '../../../server/http/middleware/idempotency.ts'
import { requireValidInput } from '../../../server/http/middleware/validate.ts'
import type { Context } from '../../../server/services/context.ts'
import { readAndForgetRequestedPath } from '../../sessions/cookies.ts'
import { hasValidToken, requireToken, StaleForm } from '../../sessions/csrf.ts'
import { addRequestId, PageFailure } from '../../sessions/failure.ts'
import { storeSignInAttempt } from '../../sessions/provider.ts'
import { deriveSecret } from '../../sessions/secrets.ts'
import type { SiteContext } from './context.ts'
import { type FormValues, readForm, readRows } from './form-body.ts'
import { findFormLimits } from './form-limits.ts'
import {
  type ActionCall,
  type ActionResult,
  type Call,
  findNamed,
  type Page,
  type PageAction,
  type RefusedForm,
} from './page.ts'
import { rememberKnownBrowser, setSession } from './viewers.ts'

/** The result of an action. `cause` is the original error, for the log. */
type PerformedAction =
  | { result: ActionResult }
  | { failure: Refusal | StaleForm; cause: unknown; refusedForm: RefusedForm }

// The statuses of failures that are shown next to the form. Other failures have their own page.
const STATUSES_SHOWN_AT_FORM = new Set([404, 409, 413, 422, 429, 500, 503, 504])
// Codes after which the outcome is unknown or nothing was done, so that the same form may be sent again unchanged.
const REPEATABLE_REFUSALS = new Set<RefusalCode>([
  'unavailable',
  'not_executed',
  'outcome_unknown',
  'idempotency_key_in_use',
])
const UUID_PATTERN = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/

export async function performAction(
  ctx: Context,
  page: Page,
  call: Call,
  context: SiteContext,
): Promise<PerformedAction> {
  let values: FormValues = {}
  try {
    const { services } = context
    // Without a session, only the token distinguishes Berth's forms from the forms of other sites. With a
    // session, a form of an earlier session is shown again.
    const isOpen = page.access === 'everybody'
    const reading = {
      ...findFormLimits(page, services.config.bodyBytesMax),
      takesFiles: acceptsFiles(page),
      checkToken: isOpen ? (sent: string) => requireToken(ctx, call.viewer, sent) : undefined,
      hasToken: (sent: string) => hasValidToken(ctx, call.viewer, sent),
    }
    const result = await readForm(ctx, services, reading, async (read, failure) => {
      values = read
      requireToken(ctx, call.viewer, read['_csrf']?.[0])
      const action = findNamed(page.actions, read['_action']?.[0] ?? '')
      if (!action) throw new Refusal('malformed_body', message`This form does not belong to this page.`)
      if (failure) throw failure
      return action.act(createActionCall(ctx, action, read, call, context))
    })
    return { result }
  } catch (error) {
    const isOurs = findNamed(page.actions, values['_action']?.[0] ?? '') !== undefined
    const isStale = error instanceof StaleForm && page.access === 'signed-in'
    const refusal = toOutcomeUnknownIfWritten(toRefusal(error), ctx)
    const failure = isStale ? error : ((await context.site.wordRefusal?.(refusal, call)) ?? refusal)
    const isShown = isStale || (STATUSES_SHOWN_AT_FORM.has(failure.status) && !(error instanceof PageFailure))
    if (!isOurs || !isShown) throw failure === refusal ? error : failure
    return { failure, cause: error, refusedForm: toRefusedForm(values, failure, ctx.state) }
  }
}

/** Converts a 503 that follows a write of the same action, because a 503 promises that nothing was changed. */
const toOutcomeUnknownIfWritten = (refusal: Refusal, { state }: Context): Refusal =>
  refusal.status === 503 && state.hasWritten ? createOutcomeUnknownRefusal('writes') : refusal

function acceptsFiles(page: Page): boolean {
  return Object.values(page.actions).some((action) => action.takesFile)
}

function createActionCall(
  ctx: Context,
  action: PageAction,
  values: FormValues,
  call: Call,
  context: SiteContext,
): ActionCall {
  const form = readFields(action.form, values, ctx)
  const { upload } = ctx.state
  const submissionId = readSubmissionId(values)
  const fingerprint = computeFingerprint({ form, params: call.params, file: upload?.sha256 })
  let dispatched = 0
  const origin = (key: string) => ({
    ...findOrigin(ctx, call),
    idempotency: { scope: formatScope(ctx, formatWriter(call), call.params), key, fingerprint },
  })
  return {
    ...call,
    form,
    upload,
    version: values['_version']?.[0] || undefined,
    deriveSecret: (purpose) => deriveSecret(call.viewer, `${purpose} ${submissionId}`),
    setSession: (secret) => setSession(ctx, secret, context),
    takeNext: () => readAndForgetRequestedPath(ctx, context),
    storeAttempt: (attempt) => storeSignInAttempt(ctx, attempt, context.root),
    rememberBrowser: (account) => rememberKnownBrowser(ctx, account, context),
    async dispatch(name, input, options) {
      refuseInvalidInput(name, input, call)
      const key = `${submissionId}:${++dispatched}`
      const attempt = randomUUID()
      const { dispatcher } = context.services
      const reply = requireReply(await dispatcher.dispatch(name, input, origin(key), { ...options, attempt }))
      ctx.state.attempt = attempt
      ctx.state.hasWritten = true
      return reply
    },
    lastAttempt: () => ctx.state.attempt,
    undoTogether(attempts) {
      ctx.state.undoneTogether = attempts
    },
    async accept(name, input, key = `${submissionId}:${++dispatched}`) {
      refuseInvalidInput(name, input, call)
      const outcome = await context.services.dispatcher.accept(name, input, origin(key), 'user-write')
      return { id: (requireReply(outcome) as AcceptedJobReply).data.id, replayed: outcome.replayed === true }
    },
  }
}

/** Returns the actor and the request to which the work is attributed. */
export function findOrigin(ctx: Context, call: Call) {
  const { person } = call.viewer
  // Passes `userId`. With it, workers refuse writes that concern other people.
  if (person) return { ...createOrigin(ctx, createUserActor(person)), userId: person.id }
  const admin = call.requireAdmin()
  return createOrigin(ctx, { type: 'admin', id: admin.id, name: admin.email })
}

/** Returns the person as an actor. Leaves out the name, because erasing the person would have to find it everywhere. */
export const createUserActor = ({ id }: { id: number }): Actor => ({ type: 'user', id, name: `User ${id}` })

function formatWriter({ viewer, requireAdmin }: Call): string {
  return viewer.person ? `user:${viewer.person.id}` : `admin:${requireAdmin().id}`
}

export function createOrigin(ctx: Context, actor: Actor) {
  const { requestId, baseUrl, receivedMs } = ctx.state
  return { actor, requestId, baseUrl, receivedAt: formatInstant(receivedMs) }
}

// Reads the fields of a form. Browsers send an empty field as an empty text, which counts as absent here.
// Several fields with the same name become a list if the schema expects a list, and rows if it expects
// objects.
function readFields(schema: yup.AnySchema, values: FormValues, ctx: Context): unknown {
  const rules = (schema as yup.ObjectSchema<yup.AnyObject>).fields
  const fields: Record<string, unknown> = {}
  for (const [name, rule] of Object.entries(rules)) {
    const filled = (values[name] ?? []).filter((value) => value !== '')
    if (rule instanceof yup.ArraySchema)
      fields[name] = rule.innerType instanceof yup.ObjectSchema ? readRows(values, name) : filled
    else if (filled.length > 0) fields[name] = filled[0]
  }
  return requireValidInput(schema, fields, formatInstant(ctx.state.receivedMs))
}

// Refuses the invalid input of a job before the job is sent. If a form accepts a value that its job refuses, the worker
// can only report an internal error. This refusal names the fields.
const refuseInvalidInput = (name: JobName, input: unknown, { now }: Call) =>
  requireValidInput(jobs[name].input, input, now)

function toRefusedForm(
  values: FormValues,
  failure: Refusal | StaleForm,
  { requestId }: Context['state'],
): RefusedForm {
  const form = {
    action: values['_action']?.[0] ?? '',
    key: values['_key']?.[0] ?? '',
    values,
    isShown: false,
  }
  const submissionId = readSubmissionId(values)
  const detail = message`Check the form and send it again.`
  // A stale form was not processed, so it keeps its submission id and gets a new token.
  if (failure instanceof StaleForm)
    return { ...form, code: 'validation_failed', errors: {}, detail, submissionId }
  const { code, errors = {} } = failure
  return {
    ...form,
    code,
    errors,
    detail:
      code === 'idempotency_key_reused'
        ? message`This form was already sent with different contents. Check it and send it again.`
        : addRequestId(failure.detail, requestId),
    submissionId: REPEATABLE_REFUSALS.has(code) ? submissionId : undefined,
  }
}

function readSubmissionId(values: FormValues): string {
  const [id = ''] = values['_submission'] ?? []
  return UUID_PATTERN.test(id) ? id : randomUUID()
}
