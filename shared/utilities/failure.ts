// What makes it useless for a process to go on, told by whatever part of it finds out first.

export class Failure {
  #report: (error: Error) => void = () => undefined
  readonly happened = new Promise<Error>((resolve) => {
    this.#report = resolve
  })
  readonly report = (error: Error) => this.#report(error)
}
