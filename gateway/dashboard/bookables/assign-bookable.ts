// The page that assigns a bookable to people: search for them, and add and remove them one by one.
import { object, queryId, required, text } from '../../../shared/schemas/fields.ts'
import { type Html, html } from '../../http/html.ts'
import * as affectedForm from '../affected-bookings/affected-bookings-form.ts'
import { backQuery } from '../kit/back.ts'
import type { Call } from '../kit/page.ts'
import { sentence, t } from '../locales/translate.ts'
import { findUsers, searchUsers, type UserChoice } from '../search/choices.ts'
import { form, searchForm } from '../ui/forms.ts'
import { type Column, card, showInactive, table } from '../ui/parts.ts'
import { bookablePages } from './bookable.ts'
import type { LocatedBookableRow } from './queries.ts'

const SHOWN_MAX = 20

const userForm = object({ user_id: required(queryId()) })

export const assignBookable = bookablePages.page({
  path: '/assign',
  title: sentence`Assign`,
  query: object({ ...backQuery, search: text({ max: 255 }) }),
  actions: (action) => ({
    assign: action(userForm.shape(affectedForm.formFields), async (call) => {
      const { id, name } = await bookablePages.require(call)
      const { user_id } = call.form
      const [user] = await findUsers(call.reads, [user_id])
      await call.dispatch('bookables.assign', { id, user_id, ...affectedForm.inputOf(call) })
      const notice = user ? t`${name} is assigned to ${user.name}.` : t`${name} is assigned to them.`
      return affectedForm.redirectAfterResolving(call, call.linkHere({ search: null }), notice)
    }),
    remove: action(userForm, async (call) => {
      const { id, name, assignees } = await bookablePages.require(call)
      const user = assignees.find((each) => each.id === call.form.user_id)
      const answer = await call.dispatch('bookables.unassign', { id, ...call.form })
      const isFree = answer.data.assignees === 0
      return { redirectTo: call.linkHere(), notice: describeRemoved(name, user?.name, isFree) }
    }),
  }),
  async show(call, bookable) {
    const { search } = call.query
    const { name, assignees } = bookable
    const question = await askAboutOthers(call, bookable)
    const without = assignees.map(({ id }) => id)
    const candidates =
      search && !question
        ? await searchUsers(call.reads, search, { without, limit: SHOWN_MAX + 1 })
        : undefined
    return {
      title: t`Assign ${name}`,
      content: html`${question}<section aria-labelledby="assigned"><h2 id="assigned">${t`Assigned to`}</h2>
${usersTable(call, t`Assigned to`, assignees, 'remove', t`Not assigned to anyone.`)}</section>
<section aria-labelledby="others"><h2 id="others">${t`Find people`}</h2>
<div class="search">${searchForm(call, t`Search`, (fields) =>
        fields.search('search', t`Name or e-mail`, { autofocus: true }),
      )}</div>
${candidates && usersTable(call, t`People found`, candidates.slice(0, SHOWN_MAX), 'assign', t`No active people found.`)}
${candidates && candidates.length > SHOWN_MAX && html`<p class="soft">${t`More people match. Enter more of the name to narrow it down.`}</p>`}</section>`,
    }
  },
})

function describeRemoved(bookable: string, user: string | undefined, isFree: boolean): string {
  if (isFree) return t`${bookable} is not assigned to anyone now. Anyone can book it.`
  return user === undefined
    ? t`${bookable} is no longer assigned to them.`
    : t`${bookable} is no longer assigned to ${user}.`
}

// Replaces the list of people found, because the forms in that list have the same action.
async function askAboutOthers(
  call: Call,
  { id, name, assignees }: LocatedBookableRow,
): Promise<Html | undefined> {
  const userId = Number(call.refusedForm?.values['user_id']?.[0])
  if (!affectedForm.needsResolution(call, 'assign') || !Number.isSafeInteger(userId)) return undefined
  const [user] = await findUsers(call.reads, [userId])
  const exemptUserIds = [...assignees.map((each) => each.id), userId]
  const resolutionOptions = await affectedForm.showOptions(call, { ids: [id], keptUsers: exemptUserIds })
  if (!user || !resolutionOptions) return undefined
  const options = {
    action: 'assign',
    key: userId,
    submit: t`Assign to ${user.name}`,
    hidden: { user_id: userId },
    cancel: call.linkHere(),
  }
  return card(t`Assign ${name} to ${user.name}?`, form(call, options, resolutionOptions), 'question')
}

function usersTable(
  call: Call,
  caption: string,
  rows: UserChoice[],
  action: 'assign' | 'remove',
  empty: string,
): Html {
  const isToAssign = action === 'assign'
  const columns: Column<UserChoice>[] = [
    { label: t`Name`, show: (row) => html`${row.name}${showInactive(row)}` },
    { label: t`E-mail`, show: ({ email }) => email },
    {
      label: t`Actions`,
      isTools: true,
      show: ({ id, name }) =>
        form(call, {
          action,
          key: id,
          submit: isToAssign ? t`Assign` : t`Remove`,
          submitLabel: isToAssign ? t`Assign to ${name}` : t`Remove ${name}`,
          hidden: { user_id: id },
          tone: 'quiet',
          isInline: true,
        }),
    },
  ]
  return table(caption, columns, rows, empty)
}
