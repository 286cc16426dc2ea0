// Reports the first fatal error of the process. Later ones are ignored.

export class Failure {
  #report: (error: Error) => void = () => undefined
  readonly happened = new Promise<Error>((resolve) => {
    this.#report = resolve
  })
  readonly report = (error: Error) => this.#report(error)
}
