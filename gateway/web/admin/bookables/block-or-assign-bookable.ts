// The pages that keep people from using a bookable. One page blocks the bookable for a time, with its own
// “closed” rule. The other page assigns the bookable to certain people.

import { fieldName, message } from '../../../../shared/messages/message.ts'
import { invalidFields } from '../../../../shared/messages/refusal.ts'
import type { ClosedTimes } from '../../../../shared/rules/closed-times.ts'
import type { Rules } from '../../../../shared/rules/rules.ts'
import { integer, object, queryId, queryNumber, required, text } from '../../../../shared/schemas/fields.ts'
import { formatLocalDateTime } from '../../../../shared/schemas/wall-clock.ts'
import { type Html, html } from '../../../html/html.ts'
import { sentence, t, tHtml } from '../../locales/translate.ts'
import { backQuery, findBackPath } from '../../pages/page/back.ts'
import type { ActionCall, Call } from '../../pages/page/page.ts'
import { findUsers, searchUsers, type UserChoice } from '../../pages/search/choices.ts'
import { localDateTime, parseSpan } from '../../pages/time/fields.ts'
import { formatEnd, showInstant } from '../../pages/time/instants.ts'
import { parseRequestedTime, requestedTimeQuery } from '../../pages/time/requested-time.ts'
import { formatZone } from '../../pages/time/zones.ts'
import { form, showSearchForm } from '../../pages/ui/forms.ts'
import { type Column, showCard, showInactiveBadge, showTable } from '../../pages/ui/parts.ts'
import * as affectedForm from '../affected-bookings/affected-bookings-form.ts'
import { addClosedTimes, replaceClosedTimes } from '../rules/closed-rows.ts'
import { type RulesOfPlace, requireRules } from '../rules/queries.ts'
import { bookablePages } from './bookable.ts'
import type { LocatedBookableRow } from './queries.ts'

const blockForm = object({
  from_time: required(localDateTime()),
  to_time: required(localDateTime()),
  reason: required(text({ max: 255, min: 1 })),
})
const unblockForm = object({ index: required(queryNumber(integer({ min: 0, max: 1_000 }))) })

type BookableCall = Call<{ id: number }>

export const blockBookablePage = bookablePages.page({
  path: '/block',
  title: sentence`Block for a time`,
  query: object({ ...requestedTimeQuery, ...backQuery }),
  actions: (action) => ({
    block: action(blockForm, async (call) => {
      const found = await findRules(call)
      const { name, zone } = found
      const { from, to } = parseSpan(call.form, { from: zone, to: zone })
      if (!from || !to) throw invalidFields({ to_time: [message`${fieldName('to_time')} is required.`] })
      await setRules(call, addClosedTimes(found, { from, to, reason: call.form.reason }))
      return {
        redirectTo: call.link(findBackPath(call, `/places/bookables/${call.params.id}`)),
        notice: t`${name} is blocked at that time. Existing bookings stay.`,
      }
    }),
    unblock: action(unblockForm, async (call) => {
      const found = await findRules(call)
      const others = listClosedTimes(found).filter((_, index) => index !== call.form.index)
      await setRules(call, replaceClosedTimes(found, others))
      return { redirectTo: call.linkHere(), notice: t`Unblocked. It can be booked again at that time.` }
    }),
  }),
  async show(call, { id, name, zone }) {
    const found = await findRules(call)
    const { local } = parseRequestedTime(call.query, zone, call.now)
    const own = { type: 'datetime-local', hint: t`Time zone: ${formatZone(zone)}` } as const
    const items = listClosedTimes(found).map((closed, index) => showBlockedTimes(call, found, closed, index))
    const cancel = call.link(findBackPath(call, `/places/bookables/${id}`))
    const options = { action: 'block', submit: t`Block`, version: found.version, cancel }
    return {
      title: t`Block ${name} for a time`,
      lead: t`Nobody can book the place during that time. Existing bookings stay.`,
      content: html`${showCard(
        t`Block`,
        html`<div class="narrow">${form(call, options, (fields) => [
          fields.text('from_time', t`From`, { ...own, value: local.from }),
          fields.text('to_time', t`Until`, { ...own, value: local.to }),
          fields.text('reason', t`Reason`),
        ])}</div>`,
        'block',
      )}
${items.length > 0 && showCard(t`Blocked times`, html`<ul class="chosen-list">${items}</ul>`, 'blocked')}`,
    }
  },
})

const findRules = ({ reads, params }: BookableCall) => requireRules(reads, 'bookables', params.id)

const listClosedTimes = ({ rules }: RulesOfPlace): ClosedTimes[] => rules.own.closed ?? []

const setRules = (call: ActionCall<{ id: number }>, rules: Rules) =>
  call.dispatch('bookables.set-rules', { id: call.params.id, version: call.version, rules })

function showBlockedTimes(
  call: Call,
  { zone, version }: RulesOfPlace,
  { from, to, reason }: ClosedTimes,
  index: number,
): Html {
  const unblock = form(call, {
    action: 'unblock',
    key: index,
    submit: t`Unblock`,
    submitLabel: t`Unblock ${formatLocalDateTime(from, zone).replace('T', ' ')}`,
    tone: 'quiet',
    isInline: true,
    version,
    hidden: { index },
  })
  return html`<li class="chosen"><span>${tHtml`${showInstant(from, zone)} to ${formatEnd(from, to, zone)}`} <span class="soft">${reason}</span></span>
${unblock}</li>`
}

const SHOWN_USERS_MAX = 20

const userForm = object({ user_id: required(queryId()) })

export const assignBookablePage = bookablePages.page({
  path: '/assign',
  title: sentence`Assign`,
  query: object({ ...backQuery, search: text({ max: 255 }) }),
  actions: (action) => ({
    assign: action(userForm.shape(affectedForm.affectedBookingsFormFields), async (call) => {
      const { id, name } = await bookablePages.require(call)
      const { user_id } = call.form
      const [user] = await findUsers(call.reads, [user_id])
      await call.dispatch('bookables.assign', { id, user_id, ...affectedForm.readResolution(call) })
      const notice = user ? t`${name} is assigned to ${user.name}.` : t`${name} is assigned to them.`
      return affectedForm.redirectAfterResolving(call, call.linkHere({ search: null }), notice)
    }),
    remove: action(userForm, async (call) => {
      const { id, name, assignees } = await bookablePages.require(call)
      const user = assignees.find((each) => each.id === call.form.user_id)
      const answer = await call.dispatch('bookables.unassign', { id, ...call.form })
      const isFree = answer.data.assignees === 0
      return { redirectTo: call.linkHere(), notice: describeRemovedAssignee(name, user?.name, isFree) }
    }),
  }),
  async show(call, bookable) {
    const { search } = call.query
    const { name, assignees } = bookable
    const question = await askAboutOtherAssignees(call, bookable)
    const without = assignees.map(({ id }) => id)
    const candidates =
      search && !question
        ? await searchUsers(call.reads, search, { without, limit: SHOWN_USERS_MAX + 1 })
        : undefined
    return {
      title: t`Assign ${name}`,
      content: html`${question}<section aria-labelledby="assigned"><h2 id="assigned">${t`Assigned to`}</h2>
${showUsersTable(call, t`Assigned to`, assignees, 'remove', t`Not assigned to anyone.`)}</section>
<section aria-labelledby="others"><h2 id="others">${t`Find people`}</h2>
<div class="search">${showSearchForm(call, t`Search`, (fields) =>
        fields.search('search', t`Name or e-mail`, { autofocus: true }),
      )}</div>
${candidates && showUsersTable(call, t`People found`, candidates.slice(0, SHOWN_USERS_MAX), 'assign', t`No active people found.`)}
${candidates && candidates.length > SHOWN_USERS_MAX && html`<p class="soft">${t`More people match. Enter more of the name to narrow it down.`}</p>`}</section>`,
    }
  },
})

function describeRemovedAssignee(bookable: string, user: string | undefined, isFree: boolean): string {
  if (isFree) return t`${bookable} is not assigned to anyone now. Anyone can book it.`
  return user === undefined
    ? t`${bookable} is no longer assigned to them.`
    : t`${bookable} is no longer assigned to ${user}.`
}

// Shows the question instead of the list of people found, because the forms in that list have the same
// action.
async function askAboutOtherAssignees(call: Call, { id, name, assignees }: LocatedBookableRow) {
  const userId = Number(call.refusedForm?.values['user_id']?.[0])
  if (!affectedForm.needsResolution(call, 'assign') || !Number.isSafeInteger(userId)) return undefined
  const [user] = await findUsers(call.reads, [userId])
  const exemptUserIds = [...assignees.map((each) => each.id), userId]
  const resolutionOptions = await affectedForm.showResolutionOptions(call, {
    ids: [id],
    keptUsers: exemptUserIds,
  })
  if (!user || !resolutionOptions) return undefined
  const options = {
    action: 'assign',
    key: userId,
    submit: t`Assign to ${user.name}`,
    hidden: { user_id: userId },
    cancel: call.linkHere(),
  }
  return showCard(t`Assign ${name} to ${user.name}?`, form(call, options, resolutionOptions), 'question')
}

function showUsersTable(
  call: Call,
  caption: string,
  rows: UserChoice[],
  action: 'assign' | 'remove',
  empty: string,
): Html {
  const isToAssign = action === 'assign'
  const columns: Column<UserChoice>[] = [
    { label: t`Name`, show: (row) => html`${row.name}${showInactiveBadge(row)}` },
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
  return showTable(caption, columns, rows, empty)
}
