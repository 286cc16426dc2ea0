// A failure that occurs only in the dashboard. All other failures are the API's refusals, shown as pages.
import { type Message, message, type Value } from '../../../../shared/messages/message.ts'

export class PageFailure extends Error {
  readonly status: number
  readonly title: string

  constructor(status: number, title: string, detail: string) {
    super(detail)
    this.status = status
    this.title = title
  }
}

/** The API's message refers to the field `request_id` of its answer; a page shows the id itself. */
export function withRequestId(told: Message, requestId: string): Message {
  const isId = (value: Value) => typeof value === 'object' && 'field' in value && value.field === 'request_id'
  const id = message`request ID ${requestId}`
  return { ...told, values: told.values?.map((value) => (isId(value) ? id : value)) ?? [] }
}
