// A failure that only the dashboard has; all others are the refusals of the API, shown as pages.
import { type Message, message, type Value } from '../../../shared/messages/message.ts'

export class PageFailure extends Error {
  readonly status: number
  readonly title: string

  constructor(status: number, title: string, detail: string) {
    super(detail)
    this.status = status
    this.title = title
  }
}

/** The API’s message is about the member `request_id` of its answer; on a page the id itself stands there. */
export function withRequestId(told: Message, requestId: string): Message {
  const isId = (value: Value) => typeof value === 'object' && 'field' in value && value.field === 'request_id'
  const id = message`request ID ${requestId}`
  return { ...told, values: told.values?.map((value) => (isId(value) ? id : value)) ?? [] }
}
