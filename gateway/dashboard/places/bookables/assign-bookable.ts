// Places: assigning a bookable to people, who are searched for, and added and removed one by one.
import { object, pathId, queryId, required, text } from '../../../../shared/contracts/fields.ts'
import { type Html, html } from '../../../http/html.ts'
import { backPath, backQuery, keepBack } from '../../framework/back.ts'
import { type Call, page } from '../../framework/page.ts'
import { findUsers } from '../../search/choices.ts'
import { form, searchForm } from '../../ui/forms.ts'
import { showInactive } from '../../ui/people.ts'
import { type Column, table } from '../../ui/tables.ts'
import {
  always,
  askFirst,
  describeWayOut,
  isInTheWay,
  showWaysOut,
  wayOutField,
} from '../in-the-way/ways-out.ts'
import {
  type LocatedBookableRow,
  missingBookable,
  requireBookable,
  searchAssignableUsers,
  type UserName,
} from './queries.ts'

const SHOWN_MAX = 20

const userForm = object({ user_id: required(queryId()) })

export const assignBookable = page({
  path: '/places/bookables/{id}/assign',
  title: 'Assign',
  section: 'Places',
  params: object({ id: pathId() }),
  query: object({ ...backQuery, search: text({ max: 255 }) }),
  missing: missingBookable,
  actions: (action) => ({
    assign: action(userForm.shape(wayOutField), async (call) => {
      const { id, name } = await requireBookable(call.reads, call.params.id)
      const [user] = await findUsers(call.reads, [call.form.user_id])
      const { user_id, in_the_way } = call.form
      await call.dispatch('bookables.assign', { id, user_id, in_the_way: askFirst(in_the_way) })
      const notice = `${name} is assigned to ${user?.name ?? 'them'}.`
      return { redirectTo: call.linkHere({ search: null }), notice: notice + describeWayOut(in_the_way) }
    }),
    remove: action(userForm, async (call) => {
      const { id, name, assignees } = await requireBookable(call.reads, call.params.id)
      const user = assignees.find((each) => each.id === call.form.user_id)
      const answer = await call.dispatch('bookables.unassign', { id, ...call.form })
      const isFree = answer.data.assignees === 0
      const notice = isFree
        ? `${name} is not assigned to anyone now. Anyone can book it.`
        : `${name} is no longer assigned to ${user?.name ?? 'them'}.`
      return { redirectTo: call.linkHere(), notice }
    }),
  }),
  async show(call) {
    const bookable = await requireBookable(call.reads, call.params.id)
    const { search } = call.query
    const without = bookable.assignees.map(({ id }) => id)
    const question = await askAboutOthers(call, bookable)
    const candidates =
      search && !question
        ? await searchAssignableUsers(call.reads, { search, without, limit: SHOWN_MAX + 1 })
        : undefined
    return {
      title: `Assign ${bookable.name}`,
      breadcrumbs: [
        ['Places', '/places'],
        [bookable.location, backPath(call, `/places/locations/${bookable.locationId}`)],
        [bookable.name, keepBack(call, `/places/bookables/${bookable.id}`)],
      ],
      content: html`${question}<section aria-labelledby="assigned"><h2 id="assigned">Assigned to</h2>
${usersTable(call, 'Assigned to', bookable.assignees, 'remove', 'Not assigned to anyone.')}</section>
<section aria-labelledby="others"><h2 id="others">Find people</h2>
<div class="search">${searchForm(call, 'Search', (fields) =>
        fields.text({
          name: 'search',
          label: 'Name or e-mail',
          type: 'search',
          value: search,
          autofocus: true,
        }),
      )}</div>
${candidates && usersTable(call, 'People found', candidates.slice(0, SHOWN_MAX), 'assign', 'No active people found.')}
${candidates && candidates.length > SHOWN_MAX && html`<p class="soft">More people match. Enter more of the name to narrow it down.</p>`}</section>`,
    }
  },
})

// In place of the people who were found: their forms are the same one.
async function askAboutOthers(
  call: Call,
  { id, name, assignees }: LocatedBookableRow,
): Promise<Html | undefined> {
  const userId = Number(call.refusedForm?.values['user_id']?.[0])
  if (!isInTheWay(call, 'assign') || !Number.isSafeInteger(userId)) return undefined
  const [user] = await findUsers(call.reads, [userId])
  const keptUsers = [...assignees.map((each) => each.id), userId]
  const taking = { ids: [id], times: always(call), keptUsers }
  const waysOut = await showWaysOut(call, taking, { canLeave: false })
  if (!user || !waysOut) return undefined
  const options = {
    action: 'assign',
    key: userId,
    submit: `Assign to ${user.name}`,
    hidden: { user_id: userId },
    cancel: call.linkHere(),
  }
  return html`<section class="card" aria-labelledby="question"><h2 id="question">Assign ${name} to ${user.name}?</h2>
${form(call, options, waysOut)}</section>`
}

function usersTable(
  call: Call,
  caption: string,
  rows: Array<UserName & { isActive?: boolean }>,
  action: 'assign' | 'remove',
  empty: string,
): Html {
  const [submit, label] = action === 'assign' ? ['Assign', 'Assign to'] : ['Remove', 'Remove']
  const columns: Column<UserName & { isActive?: boolean }>[] = [
    {
      label: 'Name',
      isHead: true,
      show: ({ name, isActive = true }) => html`${name}${showInactive({ isActive })}`,
    },
    { label: 'E-mail', show: ({ email }) => email },
    {
      label: 'Actions',
      isTools: true,
      show: ({ id, name }) =>
        form(call, {
          action,
          key: id,
          submit,
          submitLabel: `${label} ${name}`,
          hidden: { user_id: id },
          tone: 'quiet',
          isInline: true,
        }),
    },
  ]
  return table(caption, columns, rows, empty)
}
