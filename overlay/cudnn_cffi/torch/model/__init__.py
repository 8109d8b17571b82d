"""Whole models: conversion, candidates, profiles, shared choices."""
