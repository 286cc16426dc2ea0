// A failure that only the dashboard has; all others are the refusals of the API, shown as pages.
export class PageFailure extends Error {
  readonly status: number
  readonly title: string

  constructor(status: number, title: string, detail: string) {
    super(detail)
    this.status = status
    this.title = title
  }
}

/** Before it is translated: the API’s sentence is about the member `request_id` of its answer; on a page the id itself stands
 * there. */
export const withRequestId = (sentence: string, requestId: string) =>
  sentence.replace('this request_id', `request ID ${requestId}`)
