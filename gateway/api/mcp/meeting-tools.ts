// The tools that change and cancel meetings. Each call makes at most one write of the API, which also mails the change to
// those who were invited.
import * as yup from 'yup'
import { message } from '../../../shared/messages/message.ts'
import { invalidFields } from '../../../shared/messages/refusal.ts'
import * as answer from '../../../shared/schemas/answers.ts'
import { object, required, text } from '../../../shared/schemas/fields.ts'
import { type ApiEvent, formatMeeting, meetingShape, toMeeting } from './meetings.ts'
import { idempotencyKeyField, idField, instantField } from './shapes.ts'
import { defineTool, TOOL_ANNOTATIONS, type ToolContext } from './tool.ts'

export const changeMeetingTool = defineTool({
  name: 'change_meeting',
  title: 'Change a meeting',
  description:
    'Moves a meeting to another time in its rooms, changes its title, or both. If the change is refused, the meeting stays as it is. Everybody who was invited gets a mail, and a new time resets their answers. Other meetings of a series stay. Ask the person before you change a meeting.',
  needs: ['updateEvent'],
  effects: TOOL_ANNOTATIONS.CHANGES,
  input: object({
    event_id: required(idField('the meeting')),
    title: text({ max: 255, min: 1 }).meta({ description: 'The new title. Leave it out to keep the title.' }),
    from_time: instantField('The new start. Leave it out to keep the current start.'),
    to_time: instantField('The new end. Leave it out to keep the current end.'),
    idempotency_key: idempotencyKeyField(),
  }),
  output: yup.object({ meeting: meetingShape }),
  async run({ event_id, title, idempotency_key, ...times }, { api, key }) {
    const body = { ...times, ...(title !== undefined && { name: title }) }
    if (Object.keys(body).length === 0)
      throw invalidFields({ title: [message`Specify a new title or a new time.`] })
    const event = await api.get<ApiEvent>('updateEvent', {
      params: { id: event_id },
      query: { include: 'details' },
      body,
      key: idempotency_key ?? key,
    })
    const meeting = toMeeting(event)
    return { structured: { meeting }, text: `Changed: ${formatMeeting(meeting)}` }
  },
})

export const cancelMeetingTool = defineTool({
  name: 'cancel_meeting',
  title: 'Cancel a meeting',
  description:
    'Cancels a meeting and releases its rooms. Everybody who was invited gets a mail. Other meetings of a series stay. Ask the person before you cancel.',
  needs: ['cancelEvent'],
  effects: TOOL_ANNOTATIONS.CHANGES,
  input: object({ event_id: required(idField('the meeting')), idempotency_key: idempotencyKeyField() }),
  output: yup.object({
    cancelled: answer.id('The id of the meeting.'),
    meeting: meetingShape
      .nullable()
      .meta({ description: 'The cancelled meeting, if the token may read it.' }),
  }),
  async run({ event_id, idempotency_key }, context) {
    const { api } = context
    const meeting = api.allows(['getEvent']) ? await findMeeting(event_id, context) : undefined
    await api.get('cancelEvent', { params: { id: event_id }, key: idempotency_key ?? context.key })
    const text = `Cancelled: ${meeting ? formatMeeting(meeting) : `event_id ${event_id}`}`
    return { structured: { cancelled: event_id, meeting: meeting ?? null }, text }
  },
})

async function findMeeting(id: number, { api }: ToolContext) {
  const query = { include: 'details' }
  const event = await api.get<ApiEvent>('getEvent', { params: { id }, query }).catch(() => undefined)
  return event && toMeeting(event)
}
