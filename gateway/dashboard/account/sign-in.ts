// Signing in.
import { email, object, pathText, required } from '../../../shared/contracts/fields.ts'
import { Refusal } from '../../../shared/refusal.ts'
import { html } from '../../http/html.ts'
import { safeNextPath } from '../framework/addresses.ts'
import { page } from '../framework/page.ts'
import { createSecret } from '../framework/sessions/secrets.ts'
import { beginSession, endSession } from '../framework/sessions/sessions.ts'
import { form } from '../ui/forms.ts'
import { emailField, password, passwordField } from './fields.ts'

export const signIn = page({
  path: '/sign-in',
  title: 'Sign in',
  access: 'everybody',
  query: object({ next: pathText().optional() }),
  actions: (action) => ({
    'sign-in': action(object({ email: required(email()), password: password() }), async (call) => {
      const { services, device, viewer, form: sent } = call
      const account = await call.signIns.check(sent.email, sent.password, device)
      const secret = createSecret()
      if (!account || !(await beginSession(services.primary, secret, account, device))) {
        services.log.warn({ address: device.address, requestId: call.requestId }, 'sign-in failed')
        throw new Refusal('validation_failed', 'Wrong e-mail or password.')
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
  }),
  show: (call) => html`<div class="card narrow">
${form(call, { action: 'sign-in', submit: 'Sign in' }, (fields) => [
  emailField(fields),
  passwordField(fields, 'password', 'Password'),
])}
</div>`,
})
