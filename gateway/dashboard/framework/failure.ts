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
