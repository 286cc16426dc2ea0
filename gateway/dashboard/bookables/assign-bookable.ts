// The page that assigns a bookable to people: search for them, and add and remove them one by one.
import { object, pathId, queryId, required, text } from '../../../shared/schemas/fields.ts'
import { type Html, html } from '../../http/html.ts'
import {
  conflictFormFields,
  conflictInput,
  fromNowOn,
  isInTheWay,
  redirectAfterClearing,
  showConflictOptions,
} from '../affected-bookings/conflict-form.ts'
import { backPath, backQuery, keepBack } from '../kit/back.ts'
import { type Call, page } from '../kit/page.ts'
import { sentence, t } from '../locales/translate.ts'
import { findUsers } from '../search/choices.ts'
import { form, searchForm } from '../ui/forms.ts'
import { showInactive } from '../ui/people.ts'
import { type Column, table } from '../ui/tables.ts'
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
  title: sentence`Assign`,
  section: 'Places',
  params: object({ id: pathId() }),
  query: object({ ...backQuery, search: text({ max: 255 }) }),
  missing: missingBookable,
  actions: (action) => ({
    assign: action(userForm.shape(conflictFormFields), async (call) => {
      const { id, name } = await requireBookable(call.reads, call.params.id)
      const [user] = await findUsers(call.reads, [call.form.user_id])
      const { user_id } = call.form
      await call.dispatch('bookables.assign', { id, user_id, ...conflictInput(call) })
      const notice = user ? t`${name} is assigned to ${user.name}.` : t`${name} is assigned to them.`
      return redirectAfterClearing(call, call.linkHere({ search: null }), notice)
    }),
    remove: action(userForm, async (call) => {
      const { id, name, assignees } = await requireBookable(call.reads, call.params.id)
      const user = assignees.find((each) => each.id === call.form.user_id)
      const answer = await call.dispatch('bookables.unassign', { id, ...call.form })
      const isFree = answer.data.assignees === 0
      return { redirectTo: call.linkHere(), notice: describeRemoved(name, user?.name, isFree) }
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
      title: t`Assign ${bookable.name}`,
      breadcrumbs: [
        [t`Places`, '/places'],
        [bookable.location, backPath(call, `/places/locations/${bookable.locationId}`)],
        [bookable.name, keepBack(call, `/places/bookables/${bookable.id}`)],
      ],
      content: html`${question}<section aria-labelledby="assigned"><h2 id="assigned">${t`Assigned to`}</h2>
${usersTable(call, t`Assigned to`, bookable.assignees, 'remove', t`Not assigned to anyone.`)}</section>
<section aria-labelledby="others"><h2 id="others">${t`Find people`}</h2>
<div class="search">${searchForm(call, t`Search`, (fields) =>
        fields.text({
          name: 'search',
          label: t`Name or e-mail`,
          type: 'search',
          value: search,
          autofocus: true,
        }),
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
  if (!isInTheWay(call, 'assign') || !Number.isSafeInteger(userId)) return undefined
  const [user] = await findUsers(call.reads, [userId])
  const exemptUserIds = [...assignees.map((each) => each.id), userId]
  const search = { ids: [id], times: fromNowOn(call), keptUsers: exemptUserIds }
  const conflictOptions = await showConflictOptions(call, search, { canLeave: false })
  if (!user || !conflictOptions) return undefined
  const options = {
    action: 'assign',
    key: userId,
    submit: t`Assign to ${user.name}`,
    hidden: { user_id: userId },
    cancel: call.linkHere(),
  }
  return html`<section class="card" aria-labelledby="question"><h2 id="question">${t`Assign ${name} to ${user.name}?`}</h2>
${form(call, options, conflictOptions)}</section>`
}

function usersTable(
  call: Call,
  caption: string,
  rows: Array<UserName & { isActive?: boolean }>,
  action: 'assign' | 'remove',
  empty: string,
): Html {
  const isToAssign = action === 'assign'
  const columns: Column<UserName & { isActive?: boolean }>[] = [
    {
      label: t`Name`,
      isHead: true,
      show: ({ name, isActive = true }) => html`${name}${showInactive({ isActive })}`,
    },
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
