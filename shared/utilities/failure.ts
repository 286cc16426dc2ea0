// Collects the error that makes it pointless for a process to go on, from whichever part finds it first.

export class Failure {
  #report: (error: Error) => void = () => undefined
  readonly happened = new Promise<Error>((resolve) => {
    this.#report = resolve
  })
  readonly report = (error: Error) => this.#report(error)
}
