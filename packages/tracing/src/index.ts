export { type Attributes, type Kind, type Recorder, record, span, withoutTrace } from './span.ts'
