export { createApp } from './app.ts'
export { type Config, ConfigError, loadConfig } from './config.ts'
export { defaultDataDir } from './data-dir.ts'
export { configurationReference } from './docs/configuration.ts'
export { apiReference, errorReference } from './docs/markdown.ts'
export { openApiDocument } from './docs/openapi.ts'
export { type ApiErrorCode, errorTable } from './error-table.ts'
export { ApiError } from './errors.ts'
export { createMetrics } from './metrics.ts'
export { type RefereeResponse, verdictResponse } from './referee-response.ts'
export type {
  LegResponse,
  QuoteResponse,
  SimulationResponse,
  SwapResponse,
  TokenListResponse,
} from './responses.ts'
export { toPriceDetail } from './routes/prices.ts'
export { type RunningServer, startServer } from './server.ts'
export { quoteLogPath, Services, silentLog } from './services.ts'
export type { StatsResponse } from './stats-response.ts'
export { answerRequest, readRequest } from './swap/answer.ts'
export { swapParameters } from './swap/request.ts'
export type { StatusResponse } from './swap/status-response.ts'
export { toApiError } from './translate.ts'
