// A link that signs a person in to their own pages, for an administrator to hand over.
import { message } from '../../../../shared/messages/message.ts'
import { Refusal } from '../../../../shared/messages/refusal.ts'
import { SIGN_IN_LINK_MINUTES } from '../../../../shared/people/people.ts'
import { object } from '../../../../shared/schemas/fields.ts'
import { html } from '../../../html/html.ts'
import { sentence, t } from '../../locales/translate.ts'
import { form } from '../../pages/ui/forms.ts'
import { secretCard } from '../../pages/ui/parts.ts'
import { MY } from '../../sessions/addresses.ts'
import { hashSecret } from '../../sessions/secrets.ts'
import { userPages } from './user.ts'

const ARE_OFF = message`The people’s own pages are switched off: PEOPLE_PAGES.`

export const signInLink = userPages.page({
  path: '/sign-in-link',
  title: sentence`Link to sign in`,
  actions: (action) => ({
    create: action(object({}), async (call) => {
      if (!call.services.config.peoplePages) throw new Refusal('not_found', ARE_OFF)
      const { name } = await userPages.require(call)
      const secret = call.deriveSecret('sign-in link').toString('base64url')
      const hash = hashSecret(secret).toString('hex')
      await call.dispatch('people.create-sign-in-link', { user_id: call.params.id, hash })
      const card = secretCard({
        id: 'sign-in-link',
        secret: `${call.baseUrl}${MY}/sign-in/link?token=${secret}`,
        done: userPages.address(call),
        before: html`<p>${t`Give this link to ${name}. It signs them in to their own pages, once, within ${SIGN_IN_LINK_MINUTES} minutes.`}</p>`,
        warning: t`Anyone who opens it can book in this person’s name. It cannot be shown again after you leave this page.`,
      })
      return { show: { title: t`Link for ${name}`, content: card } }
    }),
  }),
  show: (call, { name }) => ({
    content: html`<div class="card">
<p>${t`With this link, ${name} signs in to their own pages without a mail. The audit log shows who created it.`}</p>
${form(call, { action: 'create', submit: t`Create link`, cancel: userPages.address(call) })}</div>`,
  }),
})
