// Groups: what the API shows of them.
import * as yup from 'yup'
import { idAnswer, textAnswer } from '../schemas/answers.ts'

export const groupSchema = yup.object({ id: idAnswer(), name: textAnswer() }).meta({ component: 'Group' })
export type Group = yup.InferType<typeof groupSchema>
