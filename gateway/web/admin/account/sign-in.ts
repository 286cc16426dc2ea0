// Signing in with a password or through the provider; and signing out in this browser, and at the provider if the session
// began there.
import { type Message, message } from '../../../../shared/messages/message.ts'
import { Refusal } from '../../../../shared/messages/refusal.ts'
import { email, object, pathText, required } from '../../../../shared/schemas/fields.ts'
import { html } from '../../../html/html.ts'
import { sentence, t } from '../../locales/translate.ts'
import { type Call, page } from '../../pages/page/page.ts'
import { requirePasswords } from '../../pages/page/roles.ts'
import { signOutPage } from '../../pages/site/sign-out.ts'
import { beginSingleSignOn, redirectToProvider } from '../../pages/site/single-sign-on.ts'
import { emailField } from '../../pages/ui/email-field.ts'
import { form } from '../../pages/ui/forms.ts'
import { safeNextPath } from '../../sessions/addresses.ts'
import { ProviderFailure } from '../../sessions/failure.ts'
import { endSession, findIsLinked } from '../../sessions/sessions.ts'
import { password, passwordField, startSession } from './fields.ts'

export const signIn = page({
  path: '/sign-in',
  title: sentence`Sign in`,
  access: 'everybody',
  query: object({ next: pathText().optional() }),
  actions: (action) => ({
    'sign-in': action(object({ email: required(email()), password: password() }), async (call) => {
      requirePasswords(call)
      const { services, device, requestId } = call
      const { address } = device
      const account = await call.signIns.check(call.form.email, call.form.password, device)
      if (!account || !(await startSession(call, account))) {
        services.log.warn({ address, requestId }, 'sign-in failed')
        throw new Refusal('validation_failed', describeWrong(call))
      }
      services.log.info({ adminId: account.id, address, requestId }, 'signed in')
      return { redirectTo: call.link(safeNextPath(call.query.next, call.base)) }
    }),
    'single-sign-on': action(object({}), (call) =>
      beginSingleSignOn(call, safeNextPath(call.query.next, call.base)),
    ),
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

// The same message in every case, so that it does not reveal whether an account exists.
function describeWrong({ provider }: Call): Message {
  if (!provider) return message`Wrong e-mail or password.`
  return message`Wrong e-mail or password. If you have signed in with ${provider.label} before, use that.`
}

export const signOut = signOutPage(async (call) => {
  await endSession(call.services.primary, call.viewer.secret)
  const address = await findProviderSignOut(call)
  return address === undefined
    ? undefined
    : redirectToProvider(address, t`Signing out of ${call.provider?.label ?? ''}`)
})

/** Undefined if there is no provider to sign out of. Our session has ended even if this fails. */
async function findProviderSignOut(call: Call): Promise<string | undefined> {
  const { provider, services, requestId } = call
  if (!provider) return undefined
  if (!(await findIsLinked(services.primary, provider.issuer, call.requireAdmin().id))) return undefined
  try {
    return await provider.signOutAddress(`${new URL(call.baseUrl).origin}${call.link('/sign-in')}`)
  } catch (error) {
    if (!(error instanceof ProviderFailure)) throw error
    services.log.warn({ requestId, why: `${error.kind}: ${error.message}` }, 'signed out here only')
    return undefined
  }
}
