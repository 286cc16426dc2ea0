// Signing in, with a password or through the provider.

import { literal, type Message, message } from '../../../shared/messages/message.ts'
import { Refusal } from '../../../shared/messages/refusal.ts'
import { email, object, pathText, required } from '../../../shared/schemas/fields.ts'
import { html } from '../../http/html.ts'
import { requirePasswords } from '../kit/local-sign-in.ts'
import { type ActionCall, type ActionResult, type Call, page } from '../kit/page.ts'
import { safeNextPath } from '../kit/sessions/addresses.ts'
import { createAttempt } from '../kit/sessions/attempts.ts'
import { ProviderFailure } from '../kit/sessions/failures.ts'
import { createSecret } from '../kit/sessions/secrets.ts'
import { beginSession, endSession } from '../kit/sessions/sessions.ts'
import { sentence, t } from '../locales/translate.ts'
import { form } from '../ui/forms.ts'
import { emailField, password, passwordField } from './fields.ts'
import { callbackAddress } from './finish-sign-in.ts'
import { describeProviderFailure } from './provider-failures.ts'
import { redirectView } from './redirect-page.ts'

export const signIn = page({
  path: '/sign-in',
  title: sentence`Sign in`,
  access: 'everybody',
  query: object({ next: pathText().optional() }),
  actions: (action) => ({
    'sign-in': action(object({ email: required(email()), password: password() }), async (call) => {
      requirePasswords(call)
      const { services, device, viewer, form: sent } = call
      const account = await call.signIns.check(sent.email, sent.password, device)
      const secret = createSecret()
      if (!account || !(await beginSession(services.primary, secret, account, device))) {
        services.log.warn({ address: device.address, requestId: call.requestId }, 'sign-in failed')
        throw new Refusal('validation_failed', describeWrong(call))
      }
      await endSession(services.primary, viewer.secret)
      call.setSession(secret)
      call.rememberBrowser(account)
      services.log.info(
        { adminId: account.id, address: device.address, requestId: call.requestId },
        'signed in',
      )
      return { redirectTo: call.link(safeNextPath(call.query.next)) }
    }),
    'single-sign-on': action(object({}), (call) => beginSingleSignOn(call, safeNextPath(call.query.next))),
  }),
  show: (call) => {
    const { provider } = call
    const submit = provider && t`Sign in with ${provider.label}`
    const isLocal = call.services.config.signIn.isLocal
    return html`<div class="card narrow">
${submit && form(call, { action: 'single-sign-on', submit })}
${submit && isLocal && html`<p class="soft">${t`Or with a password:`}</p>`}
${
  isLocal &&
  form(call, { action: 'sign-in', submit: t`Sign in`, tone: submit ? 'quiet' : 'primary' }, (fields) => [
    emailField(fields),
    passwordField(fields, 'password', t`Password`),
  ])
}
</div>`
  },
})

async function beginSingleSignOn(call: ActionCall, next: string): Promise<ActionResult> {
  const { provider, services, device, requestId } = call
  if (!provider) throw new Refusal('not_found', message`Single sign-on is not set up here.`)
  const attempt = createAttempt(next)
  try {
    const address = await provider.signInAddress(attempt, callbackAddress(call))
    call.storeAttempt(attempt)
    return redirectView(address, t`Continue to ${provider.label}`)
  } catch (error) {
    if (!(error instanceof ProviderFailure)) throw error
    const why = `${error.kind}: ${error.message}`
    services.log.warn({ address: device.address, requestId, why }, 'sign-in failed')
    // Shown at the form, next to the other way of signing in.
    throw new Refusal('unavailable', literal(describeProviderFailure(error, provider).message))
  }
}

// The same message in every case, so that it does not reveal whether an account exists.
function describeWrong({ provider }: Call): Message {
  if (!provider) return message`Wrong e-mail or password.`
  return message`Wrong e-mail or password. If you have signed in with ${provider.label} before, use that.`
}
