// Creates a link that signs a person in to their own pages. An administrator passes the link on to the
// person.
import { message } from '../../../../shared/messages/message.ts'
import { Refusal } from '../../../../shared/messages/refusal.ts'
import { SIGN_IN_LINK_MINUTES } from '../../../../shared/people/people.ts'
import { object } from '../../../../shared/schemas/fields.ts'
import { html } from '../../../html/html.ts'
import { sentence, t } from '../../locales/translate.ts'
import { form } from '../../pages/ui/forms.ts'
import { showSecretCard } from '../../pages/ui/parts.ts'
import { MY_PAGES_PATH } from '../../sessions/addresses.ts'
import { hashSecret } from '../../sessions/secrets.ts'
import { userPages } from './user.ts'

const PAGES_ARE_OFF = message`People’s own pages are switched off (PEOPLE_PAGES).`

export const signInLinkPage = userPages.page({
  path: '/sign-in-link',
  title: sentence`Sign-in link`,
  actions: (action) => ({
    create: action(object({}), async (call) => {
      if (!call.services.config.peoplePages) throw new Refusal('not_found', PAGES_ARE_OFF)
      const { name } = await userPages.require(call)
      const secret = call.deriveSecret('sign-in link').toString('base64url')
      const hash = hashSecret(secret).toString('hex')
      await call.dispatch('people.create-sign-in-link', { user_id: call.params.id, hash })
      const card = showSecretCard({
        id: 'sign-in-link',
        secret: `${call.baseUrl}${MY_PAGES_PATH}/sign-in/link?token=${secret}`,
        done: userPages.address(call),
        before: html`<p>${t`Give this link to ${name}. It signs them in to their own pages and works once, within ${SIGN_IN_LINK_MINUTES} minutes.`}</p>`,
        warning: t`Anyone who opens this link can book in this person’s name. The link cannot be shown again after you leave this page.`,
      })
      return { show: { title: t`Link for ${name}`, content: card } }
    }),
  }),
  show: (call, { name }) => ({
    content: html`<div class="card">
<p>${t`With this link, ${name} can sign in to their own pages without an e-mail. The audit log shows who created the link.`}</p>
${form(call, { action: 'create', submit: t`Create link`, cancel: userPages.address(call) })}</div>`,
  }),
})
