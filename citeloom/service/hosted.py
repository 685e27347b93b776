"""Our own routes as Aegra wants them: in a FastAPI application, to which it adds the LangGraph API."""

from fastapi import FastAPI

from citeloom.service.app import app as ours

app = FastAPI(
    title="CiteLoom",
    routes=[*ours.routes],
    middleware=[*ours.user_middleware],
    lifespan=ours.router.lifespan_context,
)
