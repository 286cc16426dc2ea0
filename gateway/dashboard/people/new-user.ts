// The page that adds a user.

import { object, text } from '../../../shared/schemas/fields.ts'
import { backPath, backQuery, keepBack } from '../kit/back.ts'
import { page } from '../kit/page.ts'
import { typedEmail } from '../kit/typed-email.ts'
import { sentence, t } from '../locales/translate.ts'
import { formCard } from '../ui/forms.ts'
import { parseUser, userFields, userForm } from './form.ts'
import { listAttributes } from './queries.ts'

// The form checks only the domain; users.create checks the rest of the address along with all other fields.
const newUserForm = userForm.shape({ email: typedEmail(text({ max: 255 })) })

export const newUser = page({
  path: '/people/new',
  title: sentence`New person`,
  section: 'People',
  query: object(backQuery),
  actions: (action) => ({
    create: action(newUserForm, async (call) => {
      const user = parseUser(call.form, call.now)
      const { data } = await call.dispatch('users.create', user)
      return { redirectTo: call.link(keepBack(call, `/people/${data.id}`)), notice: t`${user.name} added.` }
    }),
  }),
  async show(call) {
    const back = backPath(call, '/people')
    const used = await listAttributes(call.reads)
    return {
      breadcrumbs: [[t`People`, back]],
      content: formCard(
        call,
        { action: 'create', submit: t`Add person`, cancel: call.link(back) },
        (fields) => userFields(fields, {}, used),
      ),
    }
  },
})
