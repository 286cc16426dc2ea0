// Carries out what a form asks for, once: reads the form, validates it against its schema and runs the
// action. If the form is refused, the page shows it again with what was typed.
import { randomUUID } from 'node:crypto'
import * as yup from 'yup'
import type { AcceptedJobReply } from '../../../../shared/jobs/accepted-jobs.ts'
import type { Actor } from '../../../../shared/jobs/jobs.ts'
import { message } from '../../../../shared/messages/message.ts'
import { type FieldErrors, invalid, Refusal, type RefusalCode } from '../../../../shared/messages/refusal.ts'
import { instantOf } from '../../../../shared/utilities/date-times.ts'
import { outcomeUnknown } from '../../../queue/call-off.ts'
import { replyOf } from '../../../queue/replies.ts'
import { toRefusal } from '../../../server/http/middleware/errors.ts'
import { fingerprintOf, scopeOf } from '../../../server/http/middleware/idempotency.ts'
import { check } from '../../../server/http/middleware/validate.ts'
import type { Context } from '../../../server/services/context.ts'
import { takeNext } from '../../sessions/cookies.ts'
import { hasValidToken, requireToken, StaleForm } from '../../sessions/csrf.ts'
import { PageFailure, withRequestId } from '../../sessions/failure.ts'
import { storeAttempt } from '../../sessions/provider.ts'
import { deriveSecret } from '../../sessions/secrets.ts'
import type { SiteContext } from './context.ts'
import { type FormValues, readForm, readRows } from './form-body.ts'
import { formLimitsOf } from './form-limits.ts'
import {
  type Action,
  type ActionCall,
  type ActionResult,
  type Call,
  findNamed,
  type Page,
  type RefusedForm,
} from './page.ts'
import { rememberBrowser, setSession } from './viewers.ts'

/** `cause` is the original error, for the log. */
type PerformedAction =
  | { result: ActionResult }
  | { failure: Refusal | StaleForm; cause: unknown; refusedForm: RefusedForm }

// Statuses that are shown at the form; any other failure gets a page of its own.
const SHOWN_AT_FORM = new Set([404, 409, 413, 422, 429, 500, 503, 504])
// The outcome is unknown, or nothing was done: the same form may be sent again unchanged.
const REPEATABLE = new Set<RefusalCode>([
  'unavailable',
  'not_executed',
  'outcome_unknown',
  'idempotency_key_in_use',
])
const UUID = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/

export async function performAction(
  ctx: Context,
  page: Page,
  call: Call,
  context: SiteContext,
): Promise<PerformedAction> {
  let values: FormValues = {}
  try {
    const { services } = context
    // Without a session, only the token tells our forms from others. With one, the page shows a form of an earlier session again.
    const isOpen = page.access === 'everybody'
    const reading = {
      ...formLimitsOf(page, services.config.bodyBytesMax),
      takesFiles: takesFiles(page),
      checkToken: isOpen ? (sent: string) => requireToken(ctx, call.viewer, sent) : undefined,
      hasToken: (sent: string) => hasValidToken(ctx, call.viewer, sent),
    }
    const result = await readForm(ctx, services, reading, async (read, failure) => {
      values = read
      requireToken(ctx, call.viewer, read['_csrf']?.[0])
      const action = findNamed(page.actions, read['_action']?.[0] ?? '')
      if (!action) throw new Refusal('malformed_body', message`This form does not belong to this page.`)
      if (failure) throw failure
      return action.act(actionCall(ctx, action, read, call, context))
    })
    return { result }
  } catch (error) {
    const isOurs = findNamed(page.actions, values['_action']?.[0] ?? '') !== undefined
    const isStale = error instanceof StaleForm && page.access === 'signed-in'
    const refusal = unlessWritten(toRefusal(error), ctx)
    const failure = isStale ? error : ((await context.site.wordRefusal?.(refusal, call)) ?? refusal)
    const isShown = isStale || (SHOWN_AT_FORM.has(failure.status) && !(error instanceof PageFailure))
    if (!isOurs || !isShown) throw failure === refusal ? error : failure
    return { failure, cause: error, refusedForm: refusedFormOf(values, failure, ctx.state) }
  }
}

/** A 503 promises that nothing was changed, so it may not follow a write of the same action. */
const unlessWritten = (refusal: Refusal, { state }: Context): Refusal =>
  refusal.status === 503 && state.hasWritten ? outcomeUnknown('writes') : refusal

function takesFiles(page: Page): boolean {
  return Object.values(page.actions).some((action) => action.takesFile)
}

function actionCall(
  ctx: Context,
  action: Action,
  values: FormValues,
  call: Call,
  context: SiteContext,
): ActionCall {
  const form = readFields(action.form, values, ctx)
  const { upload } = ctx.state
  const submissionId = submissionIdOf(values)
  const fingerprint = fingerprintOf({ form, params: call.params, file: upload?.sha256 })
  let dispatched = 0
  const origin = (key: string) => ({
    ...originOf(ctx, call),
    idempotency: { scope: scopeOf(ctx, writerOf(call), call.params), key, fingerprint },
  })
  return {
    ...call,
    form,
    upload,
    version: values['_version']?.[0] || undefined,
    deriveSecret: (purpose) => deriveSecret(call.viewer, `${purpose} ${submissionId}`),
    setSession: (secret) => setSession(ctx, secret, context),
    takeNext: () => takeNext(ctx, context),
    storeAttempt: (attempt) => storeAttempt(ctx, attempt, context.root),
    rememberBrowser: (account) => rememberBrowser(ctx, account, context),
    async dispatch(name, input, options) {
      const key = `${submissionId}:${++dispatched}`
      const attempt = randomUUID()
      ctx.state.attempt = attempt
      const { dispatcher } = context.services
      const reply = replyOf(await dispatcher.dispatch(name, input, origin(key), { ...options, attempt }))
      ctx.state.hasWritten = true
      return reply
    },
    lastAttempt: () => ctx.state.attempt,
    undoTogether(attempts) {
      ctx.state.undoneTogether = attempts
    },
    async accept(name, input, key = `${submissionId}:${++dispatched}`) {
      const outcome = await context.services.dispatcher.accept(name, input, origin(key), 'user-write')
      return { id: (replyOf(outcome) as AcceptedJobReply).data.id, replayed: outcome.replayed === true }
    },
  }
}

/** The actor and the request that the work belongs to. */
export function originOf(ctx: Context, call: Call) {
  const { person } = call.viewer
  // Workers refuse what concerns other people.
  if (person) return { ...originFrom(ctx, userActor(person)), userId: person.id }
  const admin = call.requireAdmin()
  return originFrom(ctx, { type: 'admin', id: admin.id, name: admin.email })
}

/** Without the name, which erasing the person would have to find everywhere. */
export const userActor = ({ id }: { id: number }): Actor => ({ type: 'user', id, name: `User ${id}` })

function writerOf({ viewer, requireAdmin }: Call): string {
  return viewer.person ? `user:${viewer.person.id}` : `admin:${requireAdmin().id}`
}

export function originFrom(ctx: Context, actor: Actor) {
  const { requestId, baseUrl, receivedMs } = ctx.state
  return { actor, requestId, baseUrl, receivedAt: instantOf(receivedMs) }
}

// Browsers send an empty field as an empty text, which counts as absent here. Several fields with the same
// name are a list if the rule expects one, and rows if it expects objects.
function readFields(schema: yup.AnySchema, values: FormValues, ctx: Context): unknown {
  const rules = (schema as yup.ObjectSchema<yup.AnyObject>).fields
  const fields: Record<string, unknown> = {}
  for (const [name, rule] of Object.entries(rules)) {
    const filled = (values[name] ?? []).filter((value) => value !== '')
    if (rule instanceof yup.ArraySchema)
      fields[name] = rule.innerType instanceof yup.ObjectSchema ? readRows(values, name) : filled
    else if (filled.length > 0) fields[name] = filled[0]
  }
  const found: FieldErrors = {}
  const context = { now: instantOf(ctx.state.receivedMs) }
  const form = check(schema, fields, found, { part: 'body', context })
  if (Object.keys(found).length > 0) throw invalid(found)
  return form
}

function refusedFormOf(
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
  const submissionId = submissionIdOf(values)
  const detail = message`Check it and send it again.`
  // Nothing was done, so the form keeps its submission id and gets a new token.
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
        : withRequestId(failure.detail, requestId),
    submissionId: REPEATABLE.has(code) ? submissionId : undefined,
  }
}

function submissionIdOf(values: FormValues): string {
  const [id = ''] = values['_submission'] ?? []
  return UUID.test(id) ? id : randomUUID()
}
