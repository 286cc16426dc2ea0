// People: adding one.

import { page } from '../framework/page.ts'
import { formCard } from '../ui/forms.ts'
import { parseUser, userFields, userForm } from './form.ts'
import { listAttributes } from './queries.ts'

export const newUser = page({
  path: '/people/new',
  title: 'New person',
  section: 'People',
  actions: (action) => ({
    create: action(userForm, async (call) => {
      const user = parseUser(call.form, call.now)
      const { data } = await call.dispatch('users.create', user)
      return { redirectTo: call.link(`/people/${data.id}`), notice: `${user.name} added.` }
    }),
  }),
  async show(call) {
    const used = await listAttributes(call.reads)
    return {
      breadcrumbs: [['People', '/people']],
      content: formCard(
        call,
        { action: 'create', submit: 'Add person', cancel: call.link('/people') },
        (fields) => userFields(fields, {}, used),
      ),
    }
  },
})
